import { isServiceError, toServiceError } from '@trellis/kit/errors'
import { type Report, streamRun } from '@trellis/kit/workloads'
import { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import type { ChainTree } from '../chains/access.ts'
import { publishNode } from '../chains/events.ts'
import { deleteLeftover } from '../chains/leftovers.ts'
import { publishCurrent } from '../chains/publish-current.ts'
import { removeOwnerFiles } from '../chains/remove-files.ts'
import { findNode, findTree, updateGenerating } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { NodeJob } from '../jobs/drive-jobs.ts'
import type { NodeRow } from '../store/tables.ts'
import { endRun } from '../worker/run-task.ts'
import { announce, conclusionOf, failureOf } from './conclusion.ts'
import { DEADLINE_SECONDS, generationQueue, generationRun } from './job.ts'

/** Minimum progress between two updates. */
const progressStep = 0.02

const ready = (result: AudioResult, time: string): Partial<NodeRow> => ({
  status: 'ready',
  progress: 1,
  frames: result.frames,
  bpm: result.bpm ?? null,
  musical_key: result.key ?? null,
  loudness_lufs: result.loudnessLufs ?? null,
  loudness_range_lu: result.loudnessRangeLu ?? null,
  silent_tail_seconds: result.silentTailSeconds,
  distance_percentile: result.distancePercentile ?? null,
  loudness_step_lu: result.loudnessStepLu ?? null,
  beat_error_ms: result.beatErrorMs ?? null,
  prompt_honored: JSON.stringify(result.promptHonored),
  ready_at: time,
})

/** Changes of a node that a report of its run causes; undefined if they are too small to publish. */
const changesOf = (report: Report, reported: number, now: () => Date): Partial<NodeRow> | undefined => {
  switch (report.$case) {
    case 'progress':
      if (report.value.fraction < reported + progressStep) return undefined
      return { progress: Math.min(0.99, report.value.fraction) }
    case 'completed':
      return ready(AudioResult.decode(report.value.result), now().toISOString())
    case 'failed':
      return { status: 'error', error: report.value.detail }
    default:
      return undefined
  }
}

/** Outcome of a run for its object, from its last report. */
const outcomeOf = (report: Report, node: NodeRow, { chain }: ChainTree) =>
  report.$case === 'failed' ? { failure: report.value } : conclusionOf(node, chain)

/**
 * Updates the node of a run and publishes it, only while it is that run's, so one of two drivers wins. If the node was removed,
 * removes its files.
 */
export const changeGenerating = async (
  { db, bus, files, metrics }: Dependencies,
  { nodeId, runId }: NodeJob,
  changes: Partial<NodeRow>,
): Promise<void> => {
  const changed = await updateGenerating(db, { id: nodeId, runId }, changes)
  if (changed && changes.status !== undefined) {
    metrics.ended(changed)
    await publishCurrent({ db, bus }, changed.chain_id, new Set([nodeId]))
  } else if (changed) {
    await publishNode(bus, changed)
  } else if (!(await findNode(db, nodeId))) {
    await removeOwnerFiles(files, nodeId)
    await deleteLeftover(db, nodeId)
  }
}

/** Ends the run of a node that was removed before it was driven, and removes the files that the run has stored. */
const abandon = async (dependencies: Dependencies, { nodeId, runId }: NodeJob, signal: AbortSignal): Promise<void> => {
  const { db, bus, files, workloads } = dependencies
  if (!(await endRun({ bus, workloads }, runId, signal))) return
  await removeOwnerFiles(files, nodeId)
  await deleteLeftover(db, nodeId)
}

/** Records when a worker took a run; wait estimates depend on how long runs take. */
const recordStart = async ({ db, now }: Dependencies, { nodeId: id, runId }: NodeJob): Promise<void> => {
  await updateGenerating(db, { id, runId }, { started_at: now().toISOString() })
}

/** A delivery of a generation to this replica: its ordinal, and whether an earlier attempt met an unavailable server. */
type GenerationDelivery = { delivery: number; isAgain?: boolean; signal: AbortSignal }

/** Follows a generation to its end and records that. Throws if the end is not reached, so that it is driven again. */
const driveToItsEnd = async (
  dependencies: Dependencies,
  job: NodeJob,
  { delivery, isAgain, signal }: GenerationDelivery,
): Promise<void> => {
  const node = await findNode(dependencies.db, job.nodeId)
  if (!node) return abandon(dependencies, job, signal)
  if (node.run_id !== job.runId) return
  if (node.status !== 'generating') {
    // Its first driver may have been killed between recording the end and publishing it.
    if (delivery > 1 || isAgain) await publishNode(dependencies.bus, node)
    return
  }
  const tree = await findTree(dependencies.db, node.chain_id)
  if (!tree) return abandon(dependencies, job, signal)
  let reported = node.progress
  const how = { signal, resumes: true, retryBudgetMilliseconds: DEADLINE_SECONDS * 1_000 }
  for await (const report of await streamRun(dependencies, generationRun(tree, node, dependencies.config), how)) {
    if (report.$case === 'started') await recordStart(dependencies, job)
    const changes = changesOf(report, reported, dependencies.now)
    if (!changes) continue
    reported = changes.progress ?? reported
    if (changes.status) await announce(dependencies, job.runId, outcomeOf(report, { ...node, ...changes }, tree))
    await changeGenerating(dependencies, job, changes)
    if (changes.status) return
  }
  throw signal.reason ?? new Error('The reports of a generation ended early.')
}

/**
 * Drives one attempt at a job. After the last delivery the node has failed, with the reason; an unavailable server
 * (`unavailable`) never fails a generation: the caller retries.
 */
export const driveGeneration = async (
  dependencies: Dependencies,
  job: NodeJob,
  turn: GenerationDelivery,
): Promise<void> => {
  try {
    await driveToItsEnd(dependencies, job, turn)
  } catch (error) {
    const isLast = turn.delivery >= generationQueue.maxDeliveries
    if (turn.signal.aborted || !isLast || isServiceError(error, 'unavailable')) throw error
    dependencies.log.error({ err: error, ...job }, 'music: generation failed, retry limit reached')
    await announce(dependencies, job.runId, { failure: failureOf(error) })
    await changeGenerating(dependencies, job, { status: 'error', error: toServiceError(error).message })
  }
}
