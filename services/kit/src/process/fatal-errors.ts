import type { Log } from '../telemetry/mod.ts'

/** What the process does about errors that nothing caught. */
export type FatalErrors = {
  /** Resolves with the first uncaught exception or unhandled rejection. */
  first: Promise<unknown>
  hasOccurred: () => boolean
}

/** Time for requests in hand to be answered after an uncaught exception; the state of the process is unknown by then. */
const drainMilliseconds = 15_000

/**
 * Logs uncaught exceptions and unhandled rejections with their causes. The owner of the process then ends it in order:
 * its state is unknown, so it must not go on, but other requests can still be answered. If that takes too long, the
 * process ends all the same, with code 1.
 */
export const watchFatalErrors = (log: Log): FatalErrors => {
  const { promise: first, resolve } = Promise.withResolvers<unknown>()
  let occurred = false
  // Unhandled rejections arrive here, too, with their origin.
  process.on('uncaughtException', (error: unknown, origin) => {
    log.error({ err: error, origin }, 'uncaught error: the process ends')
    if (occurred) return
    occurred = true
    resolve(error)
    setTimeout(() => process.exit(1), drainMilliseconds).unref()
  })
  return { first, hasOccurred: () => occurred }
}
