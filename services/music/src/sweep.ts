import { setInterval } from 'node:timers/promises'
import { sweepLeftovers } from './chains/leftovers.ts'
import { removeExpiredDeliveries } from './delivery/retention.ts'
import type { Dependencies } from './dependencies.ts'

const sweepMilliseconds = 3_600_000

/** Removes leftover files and expired exports, now and every hour until the service ends. Safe to run in several replicas at once. */
const sweepPeriodically = async (dependencies: Dependencies): Promise<void> => {
  const { log, signal } = dependencies
  const attempt = async () => {
    await sweepLeftovers(dependencies).catch((error: unknown) =>
      log.warn({ err: error }, 'leftover files were not removed'),
    )
    await removeExpiredDeliveries(dependencies).catch((error: unknown) =>
      log.warn({ err: error }, 'expired exports were not removed'),
    )
  }
  await attempt()
  try {
    for await (const _ of setInterval(sweepMilliseconds, undefined, { signal, ref: false })) await attempt()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Sweeps in the background; disposal waits for the sweep under way. */
export const openSweep = (dependencies: Dependencies): AsyncDisposable => {
  const sweeping = sweepPeriodically(dependencies).catch((error: unknown) =>
    dependencies.log.error({ err: error }, 'leftover files and expired exports are not removed'),
  )
  return { [Symbol.asyncDispose]: () => sweeping }
}
