import { setInterval } from 'node:timers/promises'
import { handleWithRetries } from '@trellis/kit/workloads'
import type { Dependencies } from '../dependencies.ts'
import { driveSeparation } from './drive.ts'
import { separationOrders } from './order.ts'
import { separatingStems } from './store.ts'

/** Time limit for one delivery to wait for the servers that a separation depends on, in milliseconds. */
const longestOutage = 3_600_000
/** Interval between searches for separations without a driver. */
const recoveryMilliseconds = 60_000

/**
 * Requeues all separations in progress: their orders may never have been queued, or were in a queue that was lost with its
 * process. Orders that are waiting or being driven are not queued twice.
 */
const recover = async ({ db, bus }: Dependencies): Promise<void> => {
  for (const { node_id, run_id } of await separatingStems(db))
    await bus.enqueue(separationOrders, { nodeId: node_id, runId: run_id }, run_id)
}

const recoverPeriodically = async (dependencies: Dependencies): Promise<void> => {
  const { log, signal } = dependencies
  const attempt = () =>
    recover(dependencies).catch((error: unknown) => log.warn({ err: error }, 'music: separations were not requeued'))
  await attempt()
  try {
    for await (const _ of setInterval(recoveryMilliseconds, undefined, { signal, ref: false })) await attempt()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const drive = (dependencies: Dependencies): Promise<void> =>
  dependencies.bus.work(
    separationOrders,
    async ({ value: order, delivery }, handling) => {
      const { log } = dependencies
      try {
        await handleWithRetries(() => driveSeparation(dependencies, order, { delivery, signal: handling.signal }), {
          queue: separationOrders,
          handling,
          withinMilliseconds: longestOutage,
          onRetry: (error) => log.warn({ err: error, ...order }, 'music: server unavailable, retrying separation'),
        })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, ...order, delivery }, 'music: separation requeued')
        throw error
      }
    },
    { concurrency: dependencies.config.separations, signal: dependencies.signal },
  )

/** Drives separations until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveSeparations = async (dependencies: Dependencies): Promise<void> => {
  await Promise.all([drive(dependencies), recoverPeriodically(dependencies)])
}
