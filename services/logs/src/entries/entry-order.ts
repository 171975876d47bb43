/**
 * The order of entries of the same time. Lines of a file and entries whose sender numbers them are ordered by their sequence. For others the
 * `sequence` only counts equal entries, so they are ordered by their position in the batch. Both are stored as one number, negative for the latter.
 */
const maxEquals = 2 ** 16
const positionBase = 2 ** 40

/** The order of the `nth` of equal entries at a position of a batch; both are below 65,536. */
export const orderInBatch = (position: number, nth: number): number => position * maxEquals + nth - positionBase

/** The `sequence` of an entry with that order. */
export const sequenceOf = (order: number): number => (order < 0 ? (order + positionBase) % maxEquals : order)

/** The fields of a stored entry for this order: `order` is omitted where it equals the sequence. */
export const orderFields = (order: number): { sequence: number; order?: number } =>
  order < 0 ? { sequence: sequenceOf(order), order } : { sequence: order }

/** The sort key of an entry among those of the same time. */
export const orderOf = ({ sequence, order = sequence }: { sequence: number; order?: number | undefined }): number =>
  order
