import { createByteReader } from './byte-reader.ts'

/** Numbers by document, kept as what they are past the least of them: mostly they are near each other, and need half the room or less. */
export type NumberColumn = { least: number; past: Uint8Array | Uint16Array | Uint32Array | Float64Array }

export const numberAt = ({ least, past }: NumberColumn, index: number): number => least + (past[index] ?? 0)

/** A column over numbers as they are. */
export const columnOf = (numbers: Float64Array): NumberColumn => ({ least: 0, past: numbers })

const widths = [Uint8Array, Uint16Array, Uint32Array] as const

/** Where columns are unpacked before it is known how much room their numbers need: a megabyte for each would be thrown away at once. */
let scratch = new Float64Array(0)

/** Reads a column of whole numbers that is kept as steps from one to the next. */
export const decodeDeltas = (bytes: Uint8Array, count: number): NumberColumn => {
  const reader = createByteReader(bytes)
  if (scratch.length < count) scratch = new Float64Array(count)
  const values = scratch
  let before = 0
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let index = 0; index < count; index++) {
    const step = reader.varint()
    before += step % 2 === 0 ? step / 2 : -(step + 1) / 2
    values[index] = before
    if (before < least) least = before
    if (before > most) most = before
  }
  const Width = widths.find(({ BYTES_PER_ELEMENT }) => most - least < 2 ** (8 * BYTES_PER_ELEMENT)) ?? Float64Array
  const past = new Width(count)
  for (let index = 0; index < count; index++) past[index] = (values[index] ?? 0) - least
  return { least: count === 0 ? 0 : least, past }
}

/** The least and the greatest of the first so many; infinite the wrong way round where there is none. */
export const extentOf = (column: NumberColumn, count: number): { first: number; last: number } => {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let index = 0; index < count; index++) {
    const value = numberAt(column, index)
    if (value < first) first = value
    if (value > last) last = value
  }
  return { first, last }
}
