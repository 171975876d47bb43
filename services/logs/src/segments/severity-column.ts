import type { Bitmap } from './bitmap.ts'

/** The documents that are CRITICAL, ERROR and WARN: each document is in at most one bitmap. */
export type SeverityColumn = readonly [Bitmap, Bitmap, Bitmap]

/**
 * The code of a document's severity, 0 for none. It is called for every counted document, so frequent severities are checked first, without
 * calls.
 */
export const severityAt = ([critical, error, warn]: SeverityColumn, document: number): number => {
  const word = document >>> 5
  const mask = 1 << (document & 31)
  if (((warn[word] ?? 0) & mask) !== 0) return 3
  if (((error[word] ?? 0) & mask) !== 0) return 2
  return ((critical[word] ?? 0) & mask) === 0 ? 0 : 1
}
