import { invalidField } from '@trellis/kit/errors'
import { type Caller, readUpload, type UploadedFile } from '@trellis/kit/rpc'
import type { CreateChainRequest } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import type { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { nodeFile } from '../audio/files-layout.ts'
import { storedLayout } from '../audio/stored-audio.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireBytes, requireChainQuota } from '../quotas/quotas.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { runTask, StillRunning } from '../worker/run-task.ts'
import { type ChainTree, requireOwner } from './access.ts'
import { newId } from './ids.ts'
import { deleteLeftover, noteLeftovers } from './leftovers.ts'
import { removeOwnerFiles } from './remove-files.ts'
import { findNode, insertChain } from './store.ts'
import { blameUpload, ingestSeconds, uploadWithin } from './upload.ts'

const longestName = 200

const storeUpload = async (
  { files, config }: Dependencies,
  file: UploadedFile,
  nodeId: string,
  signal: AbortSignal,
) => {
  const { size } = await files.write(
    nodeFile(nodeId, 'upload'),
    uploadWithin(file.content, config.maxUploadMegabytes),
    signal,
  )
  if (size === 0) throw invalidField(['body', 'file'], 'The file is empty.')
}

/** Stores the one file of a form; returns the name of the chain. */
const receive = async (
  dependencies: Dependencies,
  messages: AsyncIterable<CreateChainRequest>,
  nodeId: string,
  signal: AbortSignal,
) => {
  const { parts } = await readUpload(messages)
  let [name, filename]: [string, string | undefined] = ['', undefined]
  for await (const part of parts) {
    if (part.kind === 'field') {
      if (part.name === 'name') name = part.value.trim()
      continue
    }
    if (filename !== undefined) throw invalidField(['body', 'file'], 'Send one file: a chain begins with one piece.')
    filename = part.filename
    await storeUpload(dependencies, part, nodeId, signal)
  }
  if (filename === undefined)
    throw invalidField(['body', 'file'], 'Send the audio as the form field "file".', 'missing')
  if ([...name].length > longestName) throw invalidField(['body', 'name'], `At most ${longestName} characters.`)
  return name || [...filename.replace(/\.[^.]*$/, '')].slice(0, longestName).join('') || 'Untitled'
}

const ingest = async (
  dependencies: Dependencies,
  nodeId: string,
  caller: Caller,
  signal: AbortSignal,
): Promise<AudioResult> => {
  const { db, bus, localWorkloads, config } = dependencies
  const maxBytes = (await requireBytes(db, caller, config)) ?? 0
  const task = {
    $case: 'ingest',
    value: { nodeId, maximumSeconds: config.maxSeconds, maximumBytes: maxBytes },
  } as const
  const run = {
    runId: `ingest-${nodeId}`,
    task,
    deadlineSeconds: ingestSeconds(config.maxSeconds),
    user: caller.userId,
  }
  try {
    return await runTask({ bus, workloads: localWorkloads }, run, signal)
  } catch (error) {
    throw blameUpload(error)
  }
}

const rootOf = (result: AudioResult, ids: { nodeId: string; chainId: string }, time: string): NodeRow => ({
  id: ids.nodeId,
  chain_id: ids.chainId,
  parent_id: null,
  kind: 'upload',
  status: 'ready',
  decision: 'committed',
  prompt: '',
  seed: null,
  frames: result.frames,
  context_seconds: null,
  generator: null,
  progress: 1,
  error: null,
  run_id: null,
  attempt: 0,
  started_at: null,
  input_key: null,
  distance_percentile: null,
  loudness_step_lu: null,
  beat_error_ms: null,
  bpm: result.bpm ?? null,
  musical_key: result.key ?? null,
  loudness_lufs: result.loudnessLufs ?? null,
  loudness_range_lu: result.loudnessRangeLu ?? null,
  silent_tail_seconds: result.silentTailSeconds,
  prompt_honored: '[]',
  created_at: time,
  ready_at: time,
})

/** Removes the stored files of a failed upload. Never throws: the caller needs the original error, and the sweep removes the rest. */
const clearAway = async ({ db, files, log }: Dependencies, nodeId: string, failed: unknown): Promise<void> => {
  try {
    if (await findNode(db, nodeId)) return
    await removeOwnerFiles(files, nodeId)
    if (!(failed instanceof StillRunning)) await deleteLeftover(db, nodeId)
  } catch (error) {
    log.warn({ err: error, nodeId }, 'music: files of a failed upload left to the sweep')
  }
}

/** Creates a chain from an uploaded file. The file is stored as it arrives, decoded in a worker process, and removed. */
export const createChain = async (
  dependencies: Dependencies,
  messages: AsyncIterable<CreateChainRequest>,
  { caller, signal }: { caller: Caller; signal: AbortSignal },
): Promise<ChainTree> => {
  const userId = requireOwner(caller)
  const { db, config } = dependencies
  await requireChainQuota(db, caller, config)
  await requireBytes(db, caller, config)
  const ids = { nodeId: newId(), chainId: newId() }
  await noteLeftovers(dependencies.db, [ids.nodeId], dependencies.now())
  try {
    const name = await receive(dependencies, messages, ids.nodeId, signal)
    const result = await ingest(dependencies, ids.nodeId, caller, signal)
    const time = dependencies.now().toISOString()
    const chain: ChainRow = {
      id: ids.chainId,
      user_id: userId,
      name,
      created_at: time,
      updated_at: time,
      sample_rate: result.sampleRate,
      channels: result.channels,
      root_node_id: ids.nodeId,
    }
    const root = rootOf(result, ids, time)
    // Concurrent uploads are checked one after the other here.
    await insertChain(dependencies.db, chain, root, async (transaction) => {
      await requireChainQuota(transaction, caller, config)
      await requireBytes(transaction, caller, config, root.frames * chain.channels * storedLayout.bytes)
    })
    await dependencies.files.remove(nodeFile(ids.nodeId, 'upload'))
    await deleteLeftover(dependencies.db, ids.nodeId)
    return { chain, nodes: [root] }
  } catch (error) {
    await clearAway(dependencies, ids.nodeId, error)
    throw error
  }
}
