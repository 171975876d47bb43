import { setInterval } from 'node:timers/promises'
import { handleWithRetries } from '@trellis/kit/workloads'
import { generatingNodes } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { driveGeneration } from './drive.ts'
import { DEADLINE_SECONDS, generationOrders } from './order.ts'

/** Generations that one replica follows at once; more wait in the queue, while their runs go on. */
const DRIVEN_AT_ONCE = 64
/** How long one delivery waits for the servers that a generation depends on, in milliseconds. */
const LONGEST_OUTAGE = DEADLINE_SECONDS * 1_000
/** How often it is looked for generations that nobody drives. */
const RECOVERY_MILLISECONDS = 60_000

/**
 * Hands out again whatever is being generated: its order may never have been queued, or was in a queue that went with its
 * process. One that waits or is driven, here or elsewhere, is not added again.
 */
const recover = async ({ db, bus }: Dependencies): Promise<void> => {
  for (const { id, run_id } of await generatingNodes(db)) {
    if (run_id) await bus.enqueue(generationOrders, { nodeId: id, runId: run_id }, run_id)
  }
}

const recoverNowAndThen = async (dependencies: Dependencies): Promise<void> => {
  const { log, signal } = dependencies
  const attempt = () =>
    recover(dependencies).catch((error: unknown) => log.warn({ err: error }, 'generations were not taken up again'))
  await attempt()
  try {
    for await (const _ of setInterval(RECOVERY_MILLISECONDS, undefined, { signal, ref: false })) await attempt()
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
          withinMilliseconds: LONGEST_OUTAGE,
          onRetry: (error) => log.warn({ err: error, ...order }, 'a server is away: the generation is driven again'),
        })
      } catch (error) {
        if (!handling.signal.aborted) log.warn({ err: error, ...order, delivery }, 'a generation is driven again')
        throw error
      }
    },
    { concurrency: DRIVEN_AT_ONCE, signal: dependencies.signal },
  )

/** Drives generations until the service ends; what is in hand then goes to another replica, or to the next start. */
export const driveGenerations = async (dependencies: Dependencies): Promise<void> => {
  await Promise.all([drive(dependencies), recoverNowAndThen(dependencies)])
}
