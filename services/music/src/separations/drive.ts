import { setInterval } from 'node:timers/promises'
import { isServiceError, toServiceError } from '@trellis/kit/errors'
import type { AudioResult } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { stemsFolder } from '../audio/files-layout.ts'
import { publishStems } from '../chains/events.ts'
import { newId } from '../chains/ids.ts'
import { findTree } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { NodeOrder } from '../orders/drive-orders.ts'
import type { ChainRow, NodeRow, StemsRow } from '../store/tables.ts'
import { runTask, StillRunning } from '../worker/run-task.ts'
import { cleanUpStems } from './clean-up.ts'
import { separationOrders, separationRun } from './order.ts'
import { findStems, updateSeparating } from './store.ts'

/** Minimum progress between two updates. */
const progressStep = 0.02
/** Interval at which a driver checks that its order still stands: other replicas cannot reach its worker. */
const checkMilliseconds = 2_000

type Separation = { readonly stems: StemsRow; readonly chain: ChainRow; readonly node: NodeRow }

/** What an order refers to; undefined if it was cancelled, or has ended. */
const findSeparation = async ({ db }: Dependencies, { nodeId, runId }: NodeOrder): Promise<Separation | undefined> => {
  const stems = await findStems(db, nodeId)
  if (stems?.run_id !== runId || stems.status !== 'generating') return undefined
  const tree = await findTree(db, stems.chain_id)
  const node = tree?.nodes.find(({ id }) => id === nodeId)
  return tree && node ? { stems, chain: tree.chain, node } : undefined
}

/** Updates the stems of an order and publishes them; false if they are not its stems any more. */
const changeSeparating = async (
  { db, bus }: Dependencies,
  order: NodeOrder,
  changes: Partial<StemsRow>,
): Promise<boolean> => {
  const changed = await updateSeparating(db, order, changes)
  if (changed) await publishStems(bus, changed)
  return changed !== undefined
}

/** Calls `cancel` when the stems of an order are deleted, until the signal aborts. */
const watchOrder = async (
  dependencies: Dependencies,
  order: NodeOrder,
  cancel: () => void,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for await (const _ of setInterval(checkMilliseconds, undefined, { signal, ref: false })) {
      // An unavailable database does not end a separation: the next check or the result decides.
      const isKnown = await findSeparation(dependencies, order).then(
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
  order: NodeOrder,
  { separation, folder, signal }: { separation: Separation; folder: string; signal: AbortSignal },
): Promise<Partial<StemsRow> | undefined> => {
  const { bus, separationWorkloads: workloads, config, now } = dependencies
  const [cancelled, ended] = [new AbortController(), new AbortController()]
  const cancel = () => cancelled.abort(new Error('The stems were deleted.'))
  const watching = watchOrder(dependencies, order, cancel, AbortSignal.any([signal, ended.signal]))
  // Each attempt has its own run: an earlier one may have reported under its id.
  const run = separationRun(separation, { runId: `stems-${newId()}`, folder, model: config.stemsModel })
  let reported = 0
  const onProgress = async (share: number) => {
    if (share < reported + progressStep) return
    reported = share
    if (!(await changeSeparating(dependencies, order, { progress: Math.min(0.99, share) }))) cancel()
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

const driveToItsEnd = async (dependencies: Dependencies, order: NodeOrder, signal: AbortSignal): Promise<void> => {
  const separation = await findSeparation(dependencies, order)
  const folder = `${stemsFolder(order.nodeId)}/${newId()}`
  const method = dependencies.config.stemsModel === undefined ? 'blind' : 'model'
  // The folder is recorded first, so that no clean-up removes what is written there.
  if (separation && (await changeSeparating(dependencies, order, { folder, method, progress: 0 }))) {
    const changes = await separate(dependencies, order, { separation, folder, signal })
    if (changes) await changeSeparating(dependencies, order, changes)
  }
  await cleanUpStems(dependencies, order.nodeId)
}

/** A delivery of an order to this replica. */
export type SeparationDelivery = { readonly delivery: number; readonly signal: AbortSignal }

/** Drives one attempt at an order. After the last delivery the stems have failed, with the reason. */
export const driveSeparation = async (
  dependencies: Dependencies,
  order: NodeOrder,
  { delivery, signal }: SeparationDelivery,
): Promise<void> => {
  try {
    await driveToItsEnd(dependencies, order, signal)
  } catch (error) {
    const isLast = delivery >= separationOrders.maxDeliveries
    if (signal.aborted || !isLast || isServiceError(error, 'unavailable')) throw error
    dependencies.log.error({ err: error, ...order }, 'music: separation failed, retry limit reached')
    await changeSeparating(dependencies, order, { status: 'error', error: toServiceError(error).message })
  }
}
