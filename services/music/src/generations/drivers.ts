import { setInterval } from 'node:timers/promises'
import { handleWithRetries } from '@trellis/kit/workloads'
import { generatingNodes } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { driveGeneration } from './drive.ts'
import { DEADLINE_SECONDS, generationOrders } from './order.ts'

/** Generations that one replica follows concurrently; more wait in the queue, while their runs continue. */
const drivenAtOnce = 64
/** Time limit for one delivery to wait for the servers that a generation depends on, in milliseconds. */
const longestOutage = DEADLINE_SECONDS * 1_000
/** Interval between searches for generations without a driver. */
const recoveryMilliseconds = 60_000

/**
 * Requeues all generations in progress: their orders may never have been queued, or were in a queue that was lost with its
 * process. Orders that are waiting or being driven, here or elsewhere, are not queued twice.
 */
const recover = async ({ db, bus }: Dependencies): Promise<void> => {
  for (const { id, run_id } of await generatingNodes(db)) {
    if (run_id) await bus.enqueue(generationOrders, { nodeId: id, runId: run_id }, run_id)
  }
}

const recoverPeriodically = async (dependencies: Dependencies): Promise<void> => {
  const { log, signal } = dependencies
  const attempt = () =>
    recover(dependencies).catch((error: unknown) => log.warn({ err: error }, 'music: generations were not requeued'))
  await attempt()
  try {
    for await (const _ of setInterval(recoveryMilliseconds, undefined, { signal, ref: false })) await attempt()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const drive = (dependencies: Dependencies): Promise<void> =>
  dependencies.bus.work(
    generationOrders,
    async ({ value: order, delivery }, handling) => {
      const { log } = dependencies
      const drive = (isAgain: boolean) =>
        driveGeneration(dependencies, order, { delivery, isAgain, signal: handling.signal })
      try {
        await handleWithRetries(drive, {
          queue: generationOrders,
          handling,
          withinMilliseconds: longestOutage,
          onRetry: (error) => log.warn({ err: error, ...order }, 'music: server unavailable, retrying generation'),
        })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, ...order, delivery }, 'music: generation requeued')
        throw error
      }
    },
    { concurrency: drivenAtOnce, signal: dependencies.signal },
  )

/** Drives generations until the service shuts down; unfinished ones then go to another replica, or to the next start. */
export const driveGenerations = async (dependencies: Dependencies): Promise<void> => {
  await Promise.all([drive(dependencies), recoverPeriodically(dependencies)])
}
