/** Error codes for a full disk, an exhausted quota and a file that is too large, of the system and of Postgres (class 53). */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG', '53100'])
/** SQLite's message, which is all that remains of an error from another thread. */
const sqliteFull = /database or disk is full/

/** Whether an error, or one that caused it, is that a disk has no space left. */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return fullCodes.has(code) || sqliteFull.test(error.message) || isDiskFull(error.cause)
}
