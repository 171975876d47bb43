import { statfs } from 'node:fs/promises'
import { isDiskFull, isServiceError, messageOf, type ServiceError, serviceError } from '@trellis/kit/errors'

const retryAfterSeconds = 60

/** The error for the caller of a failed write: a full disk is temporary, so it is 503. */
export const writeFailure = (what: string, cause: unknown): Error => {
  if (isDiskFull(cause)) return diskFullError('The disk of the server is full', cause)
  return isServiceError(cause) ? cause : new Error(`${what}: ${messageOf(cause)}`, { cause })
}

const diskFullError = (what: string, cause?: unknown): ServiceError =>
  serviceError(
    'unavailable',
    `${what}: nothing more is stored until there is space on it. What was refused can be sent again then.`,
    {
      retryAfterSeconds,
      ...(cause !== undefined && { cause }),
    },
  )

const lookMilliseconds = 1_000

/**
 * Throws `unavailable` while fewer than `minBytes` are free, which are reserved for the segments and rows of accepted entries. Checks the disk
 * once a second. `onProblem` gets a sentence each time that the space becomes short.
 */
export const createFreeSpaceCheck = (
  directory: string,
  minBytes: number,
  onProblem: (problem: string) => void,
): (() => Promise<void>) => {
  let lookedAt = Number.NEGATIVE_INFINITY
  let free = Number.POSITIVE_INFINITY
  let isShort = false
  return async () => {
    if (minBytes === 0) return
    if (performance.now() - lookedAt >= lookMilliseconds) {
      lookedAt = performance.now()
      const { bavail, bsize } = await statfs(directory)
      free = bavail * bsize
    }
    const wasShort = isShort
    isShort = free < minBytes
    if (!isShort) return
    const what = `The disk of the server has less than ${Math.ceil(minBytes / 1024 / 1024)} MiB free, which are reserved (LOGS_RESERVED_MB)`
    if (!wasShort) onProblem(`${what}: nothing more is stored until there is space on it.`)
    throw diskFullError(what)
  }
}
