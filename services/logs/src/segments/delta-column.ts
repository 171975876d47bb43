import { createByteReader } from './byte-reader.ts'

/** Reads a column of whole numbers that is kept as steps from one to the next. */
export const decodeDeltas = (bytes: Uint8Array, count: number): Float64Array => {
  const reader = createByteReader(bytes)
  const values = new Float64Array(count)
  let before = 0
  for (let index = 0; index < count; index++) {
    const step = reader.varint()
    before += step % 2 === 0 ? step / 2 : -(step + 1) / 2
    values[index] = before
  }
  return values
}

/** Numbers that are mostly near each other, kept as what they are past the least of them. */
export type NarrowColumn = { least: number; past: Uint8Array | Uint16Array | Uint32Array | Float64Array }

const widths = [Uint8Array, Uint16Array, Uint32Array] as const

export const narrow = (values: Float64Array): NarrowColumn => {
  let least = values[0] ?? 0
  let most = least
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value < least) least = value
    if (value > most) most = value
  }
  const Width = widths.find(({ BYTES_PER_ELEMENT }) => most - least < 2 ** (8 * BYTES_PER_ELEMENT)) ?? Float64Array
  const past = new Width(values.length)
  for (let index = 0; index < values.length; index++) past[index] = (values[index] ?? 0) - least
  return { least, past }
}

export const numberAt = ({ least, past }: NarrowColumn, index: number): number => least + (past[index] ?? 0)
