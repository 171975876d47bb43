import { statfs } from 'node:fs/promises'
import { isServiceError, messageOf, type ServiceError, serviceError } from '@trellis/kit/errors'

/** How the system says that there is no room, or not for this user, or not in this file. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** SQLite's own word for it, which is all that is left of an error that came from another thread. */
const sqliteFull = /database or disk is full/
const retryAfterSeconds = 60

export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (typeof code === 'string' && fullCodes.has(code)) || sqliteFull.test(error.message) || isDiskFull(error.cause)
}

/** A write that did not succeed as whoever asked for it is to hear of it: a disk without room passes, and is 503 until then. */
export const writeFailure = (what: string, cause: unknown): Error => {
  if (isDiskFull(cause)) return noRoom(cause)
  return isServiceError(cause) ? cause : new Error(`${what}: ${messageOf(cause)}`, { cause })
}

const noRoom = (cause?: unknown): ServiceError =>
  serviceError(
    'unavailable',
    'There is no room left on the disk of the server. Nothing of this was stored; send it again later.',
    {
      retryAfterSeconds,
      ...(cause !== undefined && { cause }),
    },
  )

const lookMilliseconds = 1_000

/**
 * Throws `unavailable` while fewer bytes are free than are kept for what was taken already: the segments and rows that are to be written
 * of it. Looks once a second.
 */
export const createRoomCheck = (directory: string, minBytes: number): (() => Promise<void>) => {
  let lookedAt = Number.NEGATIVE_INFINITY
  let free = Number.POSITIVE_INFINITY
  return async () => {
    if (minBytes === 0) return
    if (performance.now() - lookedAt >= lookMilliseconds) {
      lookedAt = performance.now()
      const { bavail, bsize } = await statfs(directory)
      free = bavail * bsize
    }
    if (free < minBytes) throw noRoom()
  }
}
