import type { Log } from '../telemetry/mod.ts'

/** The errors that nothing caught. */
export type FatalErrors = {
  /** Resolves with the first uncaught exception or unhandled rejection. */
  first: Promise<unknown>
  hasOccurred: () => boolean
}

/** Time limit for draining requests after an uncaught exception, in milliseconds. */
const drainMilliseconds = 15_000

/**
 * Logs uncaught exceptions and unhandled rejections with their causes. The owner of the process then shuts it down:
 * its state is unknown, so it must not continue, but pending requests can still be answered. If the shutdown takes too long, the
 * process exits with code 1.
 */
export const watchFatalErrors = (log: Log): FatalErrors => {
  const { promise: first, resolve } = Promise.withResolvers<unknown>()
  let occurred = false
  // Unhandled rejections arrive here as well, with their origin.
  process.on('uncaughtException', (error: unknown, origin) => {
    log.error({ err: error, origin }, 'uncaught error, shutting down')
    if (occurred) return
    occurred = true
    resolve(error)
    setTimeout(() => process.exit(1), drainMilliseconds).unref()
  })
  return { first, hasOccurred: () => occurred }
}
