import { setInterval } from 'node:timers/promises'
import { sweepLeftovers } from './chains/leftovers.ts'
import { removeExpiredDeliveries } from './delivery/retention.ts'
import type { Dependencies } from './dependencies.ts'

const sweepMilliseconds = 3_600_000

/** Removes leftover files and expired exports, now and every hour until the service shuts down. Safe to run in several replicas at once. */
const sweepPeriodically = async (dependencies: Dependencies): Promise<void> => {
  const { log, signal } = dependencies
  const attempt = async () => {
    await sweepLeftovers(dependencies).catch((error: unknown) =>
      log.warn({ err: error }, 'music: removal of leftover files failed'),
    )
    await removeExpiredDeliveries(dependencies).catch((error: unknown) =>
      log.warn({ err: error }, 'music: removal of expired exports failed'),
    )
  }
  await attempt()
  try {
    for await (const _ of setInterval(sweepMilliseconds, undefined, { signal, ref: false })) await attempt()
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Sweeps in the background; disposal waits for a sweep in progress. */
export const openSweep = (dependencies: Dependencies): AsyncDisposable => {
  const sweeping = sweepPeriodically(dependencies).catch((error: unknown) =>
    dependencies.log.error({ err: error }, 'music: sweep stopped'),
  )
  return { [Symbol.asyncDispose]: () => sweeping }
}
