import { setInterval } from 'node:timers/promises'
import { isServiceError, toServiceError } from '@trellis/kit/errors'
import type { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { stemsFolder } from '../audio/files-layout.ts'
import { publishStems, publishStemsRemoved } from '../chains/events.ts'
import { newId } from '../chains/ids.ts'
import { findTree } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { NodeJob } from '../jobs/drive-jobs.ts'
import type { ChainRow, NodeRow, StemsRow } from '../store/tables.ts'
import { runTask, StillRunning } from '../worker/run-task.ts'
import { cleanUpStems } from './clean-up.ts'
import { separationQueue, separationRun } from './job.ts'
import { findStems, updateSeparating } from './store.ts'

/** Minimum progress between two updates. */
const progressStep = 0.02
/** Interval at which a driver checks that its job still exists: other replicas cannot reach its worker. */
const checkMilliseconds = 2_000

type Separation = { readonly stems: StemsRow; readonly chain: ChainRow; readonly node: NodeRow }

/** The separation of a job; undefined if it was cancelled, or has ended. */
const findSeparation = async ({ db }: Dependencies, { nodeId, runId }: NodeJob): Promise<Separation | undefined> => {
  const stems = await findStems(db, nodeId)
  if (stems?.run_id !== runId || stems.status !== 'generating') return undefined
  const tree = await findTree(db, stems.chain_id)
  const node = tree?.nodes.find(({ id }) => id === nodeId)
  return tree && node ? { stems, chain: tree.chain, node } : undefined
}

/** Updates the stems of a job and publishes them; false if they are not its stems any more. */
const changeSeparating = async (
  { db, bus }: Dependencies,
  job: NodeJob,
  changes: Partial<StemsRow>,
): Promise<boolean> => {
  const changed = await updateSeparating(db, job, changes)
  if (!changed) return false
  await publishStems(bus, changed)
  if (await findStems(db, job.nodeId)) return true
  // Their deletion may have been published before this change.
  await publishStemsRemoved(bus, changed)
  return false
}

/** Calls `cancel` when the stems of a job are deleted, until the signal aborts. */
const watchJob = async (
  dependencies: Dependencies,
  job: NodeJob,
  cancel: () => void,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for await (const _ of setInterval(checkMilliseconds, undefined, { signal, ref: false })) {
      // An unavailable database does not end a separation: the next check or the result decides.
      const isKnown = await findSeparation(dependencies, job).then(
        (found) => found !== undefined,
        () => true,
      )
      if (!isKnown) return cancel()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const ready = ({ energyShares }: AudioResult, time: string): Partial<StemsRow> => ({
  status: 'ready',
  progress: 1,
  energy_shares: JSON.stringify(energyShares),
  ready_at: time,
})

/** The outcome of a separation as changes of its stems; undefined if it was cancelled. Throws what another attempt may overcome. */
const separate = async (
  dependencies: Dependencies,
  job: NodeJob,
  { separation, folder, signal }: { separation: Separation; folder: string; signal: AbortSignal },
): Promise<Partial<StemsRow> | undefined> => {
  const { bus, separationWorkloads: workloads, config, now } = dependencies
  const [cancelled, ended] = [new AbortController(), new AbortController()]
  const cancel = () => cancelled.abort(new Error('The stems were deleted.'))
  const watching = watchJob(dependencies, job, cancel, AbortSignal.any([signal, ended.signal]))
  // Each attempt has its own run: an earlier one may have reported under its id.
  const run = separationRun(separation, { runId: `stems-${newId()}`, folder, model: config.stemsModel })
  let reported = 0
  const onProgress = async (share: number) => {
    if (share < reported + progressStep) return
    reported = share
    if (!(await changeSeparating(dependencies, job, { progress: Math.min(0.99, share) }))) cancel()
  }
  try {
    const result = await runTask({ bus, workloads }, run, AbortSignal.any([signal, cancelled.signal]), onProgress)
    return ready(result, now().toISOString())
  } catch (error) {
    // A worker that may still write must not be cleaned up after.
    if (signal.aborted || error instanceof StillRunning || isServiceError(error, 'unavailable')) throw error
    return cancelled.signal.aborted ? undefined : { status: 'error', error: toServiceError(error).message }
  } finally {
    ended.abort()
    await watching
  }
}

const driveToItsEnd = async (dependencies: Dependencies, job: NodeJob, signal: AbortSignal): Promise<void> => {
  const separation = await findSeparation(dependencies, job)
  const folder = `${stemsFolder(job.nodeId)}/${newId()}`
  const method = dependencies.config.stemsModel === undefined ? 'blind' : 'model'
  // The folder is recorded first, so that no clean-up removes what is written there.
  if (separation && (await changeSeparating(dependencies, job, { folder, method, progress: 0 }))) {
    const changes = await separate(dependencies, job, { separation, folder, signal })
    if (changes) await changeSeparating(dependencies, job, changes)
  }
  await cleanUpStems(dependencies, job.nodeId)
}

/** A delivery of a job to this replica. */
export type SeparationDelivery = { readonly delivery: number; readonly signal: AbortSignal }

/** Drives one attempt at a job. After the last delivery the stems have failed, with the reason. */
export const driveSeparation = async (
  dependencies: Dependencies,
  job: NodeJob,
  { delivery, signal }: SeparationDelivery,
): Promise<void> => {
  try {
    await driveToItsEnd(dependencies, job, signal)
  } catch (error) {
    const isLast = delivery >= separationQueue.maxDeliveries
    if (signal.aborted || !isLast || isServiceError(error, 'unavailable')) throw error
    dependencies.log.error({ err: error, ...job }, 'music: separation failed, retry limit reached')
    await changeSeparating(dependencies, job, { status: 'error', error: toServiceError(error).message })
  }
}
