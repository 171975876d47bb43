import type { Files } from '@trellis/kit/files'
import type { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import { tune } from '@trellis/test/support/tune'
import { expect, test } from 'vitest'
import { local, openReplica, settled, upload } from '../../test/open-service.ts'
import { portsOfEachTest } from '../../test/ports-of-test.ts'
import { nodeFile } from '../audio/files-layout.ts'

const asLocal = { caller: local }

const own = portsOfEachTest()

/** Files that call `act` when a request first asks whether the download exists, after it has read its rows. */
const interrupted = (files: Files) => {
  let act: (() => Promise<unknown>) | undefined
  const stat: Files['stat'] = async (key) => {
    const acting = act
    act = undefined
    await acting?.()
    return files.stat(key)
  }
  const atNext = (action: () => Promise<unknown>) => {
    act = action
  }
  return { files: { ...files, stat }, atNext }
}

const received = async (frames: AsyncIterable<ByteFrame>): Promise<number> => {
  let bytes = 0
  for await (const { frame } of frames) if (frame?.$case === 'chunk') bytes += frame.value.byteLength
  return bytes
}

/** A chain whose spine is the upload and a continuation. */
const open = async () => {
  await using opened = new AsyncDisposableStack()
  const { files, atNext } = interrupted(own.ports.files)
  const replica = opened.use(await openReplica({ ...own.ports, files }))
  const { client } = replica
  const { chainId, rootNodeId } = await upload(replica, tune({ seconds: 2 }))
  const request = { chainId, nodeId: rootNodeId, durationSeconds: 1, generator: 'GENERATOR_MOCK' as const }
  const { nodes } = await client.createBranches(request, asLocal)
  await settled(replica, chainId)
  const nodeId = nodes[0]?.nodeId ?? ''
  await client.commitNode({ chainId, nodeId }, asLocal)
  const stack = opened.move()
  return { client, atNext, chainId, nodeId, rootNodeId, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('an export whose spine loses a node before it is written asks for another attempt, which succeeds', async () => {
  await using chain = await open()
  const { client, chainId, nodeId } = chain
  chain.atNext(() => client.deleteNode({ chainId, nodeId }, asLocal))
  await expect(received(client.exportChain({ chainId }, asLocal))).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'Nodes of the spine were deleted before the file was written. Try again.',
    retryAfterSeconds: 1,
  })
  expect(await received(client.exportChain({ chainId }, asLocal))).toBe(44 + 2 * 22_050 * 3)
})

test('a download of a node or chain that is deleted before it is written is answered as after the deletion', async () => {
  await using chain = await open()
  const { client, chainId, nodeId, rootNodeId } = chain
  const there = { chainId, nodeId }
  chain.atNext(() => client.deleteNode(there, asLocal))
  await expect(received(client.getNodeAudio({ ...there, format: 'AUDIO_FORMAT_FLAC' }, asLocal))).rejects.toMatchObject(
    {
      kind: 'not_found',
      message: `There is no node "${nodeId}" in this chain.`,
    },
  )
  const noChain = { kind: 'not_found', message: `There is no chain "${chainId}".` }
  chain.atNext(() => client.deleteChain({ chainId }, asLocal))
  await expect(received(client.getNodeSpectrogram({ chainId, nodeId: rootNodeId }, asLocal))).rejects.toMatchObject(
    noChain,
  )
})

test('an export of a chain that is deleted before it is written is answered as after the deletion', async () => {
  await using chain = await open()
  const { client, chainId } = chain
  chain.atNext(() => client.deleteChain({ chainId }, asLocal))
  await expect(received(client.exportChain({ chainId }, asLocal))).rejects.toMatchObject({
    kind: 'not_found',
    message: `There is no chain "${chainId}".`,
  })
})

test('a file that was lost is reported without its key', async () => {
  await using chain = await open()
  const { client, chainId, nodeId } = chain
  await own.ports.files.remove(nodeFile(nodeId, 'overview'))
  const lost = { kind: 'not_found', message: 'The audio no longer exists.' }
  await expect(client.getNodePeaks({ chainId, nodeId }, asLocal)).rejects.toMatchObject(lost)
  await own.ports.files.remove(nodeFile(nodeId, 'samples'))
  const frames = client.getNodeAudio({ chainId, nodeId }, asLocal)[Symbol.asyncIterator]()
  expect((await frames.next()).value?.frame?.$case).toBe('head')
  await expect(frames.next()).rejects.toMatchObject(lost)
})
