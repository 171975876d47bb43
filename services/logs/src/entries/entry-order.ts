/**
 * What orders entries of one time. Lines of a file are numbered, and so are entries whose sender says so; of others the `sequence` only counts
 * equals, and what orders them is their place in their batch. Both are kept as one number, which is below zero then.
 */
const alike = 2 ** 16
const placesBelowZero = 2 ** 40

/** Of the `nth` of equal entries, which stands at a place of its batch; both are below 65,536. */
export const orderInBatch = (place: number, nth: number): number => place * alike + nth - placesBelowZero

/** The `sequence` of an entry with that order. */
export const sequenceOf = (order: number): number => (order < 0 ? (order + placesBelowZero) % alike : order)

/** As a kept entry tells it: nothing where it is the sequence itself. */
export const toldOrder = (order: number): { sequence: number; order?: number } =>
  order < 0 ? { sequence: sequenceOf(order), order } : { sequence: order }

/** What orders an entry among those of its time. */
export const orderOf = ({ sequence, order = sequence }: { sequence: number; order?: number | undefined }): number =>
  order
