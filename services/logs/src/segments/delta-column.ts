import { type NumberColumn, packNumbers } from './number-column.ts'

/** Where columns are unpacked before it is known how much room their numbers need: a megabyte for each would be thrown away at once. */
let scratch = new Float64Array(0)

/** Of a number of several bytes the lower ones, as many as fit a whole number that needs no doubles, are put together by themselves. */
const lowerBytes = 4
const lowerScale = 2 ** (7 * lowerBytes)

/** Reads a column of so many whole numbers that is kept as steps from one to the next, each as a zigzag LEB128. */
export const decodeDeltas = (bytes: Uint8Array, count: number): NumberColumn => {
  if (scratch.length < count) scratch = new Float64Array(count)
  const values = scratch
  let place = 0
  let before = 0
  for (let index = 0; index < count; index++) {
    // Not by a reader: a call for each of a hundred thousand steps takes longer than all else.
    let byte = bytes[place++] ?? 0
    let low = byte & 0x7f
    let high = 0
    for (let shift = 7; byte >= 0x80 && shift < 7 * lowerBytes; shift += 7) {
      byte = bytes[place++] ?? 0
      low |= (byte & 0x7f) << shift
    }
    for (let scale = 1; byte >= 0x80; scale *= 0x80) {
      byte = bytes[place++] ?? 0
      high += (byte & 0x7f) * scale
    }
    const half = (low >>> 1) + high * (lowerScale / 2)
    before += (low & 1) === 0 ? half : -half - 1
    values[index] = before
  }
  return packNumbers(values, count)
}
