import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { startNatsServer } from '@trellis/distributed/servers'
import { openFiles } from '@trellis/kit/files'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect } from '../support/collect.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { filesContract } from './ports/files.ts'
import { filesMemoryContract } from './ports/files-memory.ts'

const MEBIBYTE = 1024 * 1024

const reason = natsMissing ? ` (skipped: ${natsMissing})` : ''

const startServer = async (directory: string, configuration = '') => {
  const server = await startNatsServer({ command: natsCommand, directory, configuration })
  return { ...server, url: `nats://${server.address}` }
}

describe.skipIf(natsMissing)(`NATS${reason}`, () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let buckets = 0
  beforeAll(async () => {
    directory = await temporaryDirectory()
    server = await startServer(directory.path)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  const location = (more: object = {}) => ({
    kind: 'nats' as const,
    servers: [server.url],
    bucket: `bucket-${buckets++}`,
    ...more,
  })

  /** What lies in a bucket's stream: messages by subject, without the common beginning. */
  const subjectsOf = async (bucket: string): Promise<Record<string, number>> => {
    const connection = await connect({ servers: server.url })
    try {
      const manager = await jetstreamManager(connection)
      const { state } = await manager.streams.info(`trellis_files_${bucket}`, { subjects_filter: '>' })
      const root = `trellis.files.${bucket}.`
      return Object.fromEntries(
        Object.entries(state.subjects ?? {}).map(([subject, count]) => [subject.slice(root.length), count]),
      )
    } finally {
      await connection.close()
    }
  }

  filesContract('on NATS', async () => {
    const files = await openFiles(location())
    return { files, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() }
  })

  test('keeps one version of a file, and nothing of removed ones', async () => {
    const place = location()
    await using files = await openFiles(place)
    for (let i = 0; i < 5; i++) await files.write('a/b.wav', randomBytes(MEBIBYTE))
    await Promise.all(Array.from({ length: 5 }, () => files.write('a/b.wav', randomBytes(MEBIBYTE))))
    await files.write('c', Buffer.from('x'))
    await files.remove('c')
    const subjects = await subjectsOf(place.bucket)
    expect(Object.entries(subjects).map(([name, count]) => [name.replace(/[0-9a-f-]{36}$/, 'ID'), count])).toEqual(
      expect.arrayContaining([
        ['content.ID', 8],
        ['key.a.b~wav', 1],
      ]),
    )
    expect(Object.keys(subjects)).toHaveLength(2)
  })

  test('what a crashed write or removal left is freed by the next to open the place, when it is a day old', async () => {
    const place = location()
    await using files = await openFiles(place)
    await files.write('whole', randomBytes(MEBIBYTE))
    const [whole = ''] = Object.keys(await subjectsOf(place.bucket)).filter((name) => name.startsWith('content.'))
    const connection = await connect({ servers: server.url })
    const publish = (name: string, data: string) =>
      jetstream(connection).publish(`trellis.files.${place.bucket}.${name}`, data)
    // As of a writer that was killed before its manifest, and of one killed between its manifest and the end of its intent.
    await publish('intent.lost', 'half')
    await publish('content.lost', 'half of it')
    await publish(whole.replace('content', 'intent'), 'whole')
    await connection.close()
    await (await openFiles(place))[Symbol.asyncDispose]()
    expect(Object.keys(await subjectsOf(place.bucket))).toHaveLength(5)
    await (await openFiles(place, { now: () => Date.now() + 25 * 60 * 60 * 1_000 }))[Symbol.asyncDispose]()
    expect(Object.keys(await subjectsOf(place.bucket)).toSorted()).toEqual([whole, 'key.whole'])
    expect((await files.readRange('whole', { start: 0, end: 2 * MEBIBYTE })).byteLength).toBe(MEBIBYTE)
  })

  test('what is written by two at once is read right, chunk by chunk', async () => {
    await using files = await openFiles(location())
    const contents = Array.from({ length: 4 }, () => randomBytes(5 * MEBIBYTE + 12_345))
    await Promise.all(contents.map((content, i) => files.write(`file-${i}`, content)))
    for (const [i, content] of contents.entries()) {
      for (const [start, end] of [
        [0, 1],
        [131_071, 131_073],
        [1_000_000, 3_000_000],
        [5 * MEBIBYTE, 6 * MEBIBYTE],
      ] as const) {
        const read = await files.readRange(`file-${i}`, { start, end })
        expect(Buffer.from(read).equals(content.subarray(start, end))).toBe(true)
      }
    }
  })

  test('a read that a replacement overtakes says so, and mixes nothing', async () => {
    await using files = await openFiles(location())
    await files.write('a', randomBytes(8 * MEBIBYTE))
    const reading = (async () => {
      let replaced = false
      for await (const _ of files.read('a')) {
        if (!replaced) await files.write('a', randomBytes(8 * MEBIBYTE))
        replaced = true
      }
    })()
    await expect(reading).rejects.toMatchObject({ kind: 'conflict' })
  })

  filesMemoryContract(() => openFiles(location()))

  test('a server that is killed keeps what it acknowledged, and nothing of what it did not', async () => {
    await using own = await temporaryDirectory()
    await using mortal = await startServer(own.path)
    const place = { ...location(), servers: [mortal.url] }
    await using files = await openFiles(place)
    const content = randomBytes(12 * MEBIBYTE)
    await files.write('kept', content)
    const midway = Promise.withResolvers<void>()
    const killed = Promise.withResolvers<void>()
    async function* slowly() {
      yield randomBytes(4 * MEBIBYTE)
      midway.resolve()
      await killed.promise
      yield randomBytes(4 * MEBIBYTE)
      throw new Error('never to be whole')
    }
    const writing = files.write('half', slowly())
    writing.catch(() => undefined)
    await midway.promise
    const read: Buffer[] = []
    for await (const part of files.read('kept')) {
      read.push(Buffer.from(part))
      if (read.length === 3) {
        await mortal.stop('SIGKILL')
        killed.resolve()
        await sleep(300)
        await mortal.start()
      }
    }
    expect(Buffer.concat(read).equals(content)).toBe(true)
    await expect(writing).rejects.toThrow('never to be whole')
    expect((await collect(files.list(''))).map(({ key }) => key)).toEqual(['kept'])
    expect(Buffer.concat(await collect(files.read('kept'))).equals(content)).toBe(true)
    await files.write('half', content)
    expect((await files.stat('half'))?.size).toBe(content.byteLength)
  })

  test('a server that stays away is unavailable within bounds, and says when to come back', async () => {
    await using own = await temporaryDirectory()
    await using mortal = await startServer(own.path)
    await using files = await openFiles({ ...location(), servers: [mortal.url] })
    await files.write('a', Buffer.from('x'))
    await mortal.stop('SIGKILL')
    const began = performance.now()
    const answers = await Promise.allSettled([
      files.write('a', Buffer.from('y')),
      files.readRange('a', { start: 0, end: 1 }),
      files.stat('a'),
      collect(files.list('')),
      files.remove('a'),
      openFiles({ ...location(), servers: [mortal.url] }),
    ])
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', retryAfterSeconds: 5 } })
    }
    expect(performance.now() - began).toBeLessThan(60_000)
    await mortal.start()
    expect(Buffer.from(await files.readRange('a', { start: 0, end: 1 })).toString()).toBe('x')
  })

  test('wrong credentials are named, without them', async () => {
    await using own = await temporaryDirectory()
    await using guarded = await startServer(own.path, 'authorization { user: trellis, password: right }')
    const place = { ...location(), servers: [guarded.url], user: 'trellis' }
    await using files = await openFiles({ ...place, password: 'right' })
    await files.write('a', Buffer.from('x'))
    const error = await openFiles({ ...place, password: 'wrong-word' }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ kind: 'unavailable' })
    expect(String(error)).toContain('rejects the credentials')
    expect(`${error} ${(error as Error).cause}`).not.toContain('wrong-word')
  })
})
