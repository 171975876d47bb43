/**
 * A record of a system that stores more than lines: a journal, a container engine. That system knows when the record was written and by which
 * program, so the text need not contain it.
 */
export type CollectedRecord = {
  sourceId: string
  /** Consecutive records of one stream may be lines of one entry; a record without a stream is an entry by itself. */
  stream: string | undefined
  /** As its program wrote it, without a line end. */
  text: string
  /** Epoch milliseconds, NaN if unknown. */
  time: number
  /** A number that is the same whenever the record is read, and higher than that of the preceding record in the same millisecond. */
  sequence: number
  /** The severity's code, if the storing system knows it for certain. */
  severity: number | undefined
  /** The severity's code if neither the format nor the words of the text indicate one. */
  hint: number | undefined
  /** Metadata beyond the text. */
  fields: Record<string, unknown> | undefined
}

/** Combines a nanosecond within its millisecond and the ordinal of equal ones into one number: 20 bits and 24 bits, so below 2^52. */
export const sequenceWithin = (nanosecondOfMillisecond: number, nth: number): number =>
  nanosecondOfMillisecond * 2 ** 24 + Math.min(nth, 2 ** 24 - 1)
