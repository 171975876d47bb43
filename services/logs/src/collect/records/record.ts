/**
 * What was read where somebody keeps more than lines: a journal, a container engine. Who kept it knows when it was written and by whom, so
 * the text need not say so.
 */
export type CollectedRecord = {
  sourceId: string
  /** Records of one stream that follow each other may be lines of one entry; without one, each stands for itself. */
  stream: string | undefined
  /** As its program wrote it, without a line end. */
  text: string
  /** Epoch milliseconds, NaN where nobody said. */
  time: number
  /** A number that it has whenever it is read, higher than that of the one before at the same millisecond. */
  sequence: number
  /** The severity's code, where who kept it knows for sure. */
  severity: number | undefined
  /** The severity's code where neither the text nor its words say anything. */
  hint: number | undefined
  /** What is known beyond the text. */
  fields: Record<string, unknown> | undefined
}

/** A nanosecond within its millisecond and the how manieth of the equal ones, as one number: 20 bits and 24 bits, so below 2^52. */
export const sequenceWithin = (nanosecondOfMillisecond: number, nth: number): number =>
  nanosecondOfMillisecond * 2 ** 24 + Math.min(nth, 2 ** 24 - 1)
