import { type NumberColumn, packNumbers } from './number-column.ts'

/** Columns are decoded here before the width of their numbers is known, which avoids a temporary megabyte for each. */
let scratch = new Float64Array(0)

/** The lower bytes of a varint, as many as fit a 32-bit integer, are combined separately. */
const lowerBytes = 4
const lowerScale = 2 ** (7 * lowerBytes)

/** Decodes a column of `count` integers that is stored as deltas, each a zigzag LEB128. */
export const decodeDeltas = (bytes: Uint8Array, count: number): NumberColumn => {
  if (scratch.length < count) scratch = new Float64Array(count)
  const values = scratch
  let offset = 0
  let before = 0
  for (let index = 0; index < count; index++) {
    // Inlined: a reader's call for each of a hundred thousand deltas takes longer than everything else.
    let byte = bytes[offset++] ?? 0
    let low = byte & 0x7f
    let high = 0
    for (let shift = 7; byte >= 0x80 && shift < 7 * lowerBytes; shift += 7) {
      byte = bytes[offset++] ?? 0
      low |= (byte & 0x7f) << shift
    }
    for (let scale = 1; byte >= 0x80; scale *= 0x80) {
      byte = bytes[offset++] ?? 0
      high += (byte & 0x7f) * scale
    }
    const half = (low >>> 1) + high * (lowerScale / 2)
    before += (low & 1) === 0 ? half : -half - 1
    values[index] = before
  }
  return packNumbers(values, count)
}
