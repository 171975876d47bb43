/**
 * Numbers by document. A packed column holds them in blocks of `blockLength`, each as offsets from the block's minimum in as few bytes as its
 * largest offset needs: consecutive lines have numbers close to one another.
 */
export type NumberColumn = {
  /** The numbers themselves if the column is not packed; empty otherwise. */
  plain: Float64Array
  /** By block: the smallest number. */
  min: Float64Array
  /** By block: the bytes per number, one of `widths`. */
  widths: Uint8Array
  /** By block: the offset of its numbers in `bytes`, a multiple of `blockLength`. */
  offsets: Uint32Array
  /** Numbers of `splitWidth` bytes are split: first the lower four bytes of the whole block, then the highest byte of each. */
  bytes: Uint8Array
  // Views of the same memory as wider numbers.
  pairs: Uint16Array
  quads: Uint32Array
  doubles: Float64Array
}

const blockShift = 7
/** A multiple of eight, so that blocks of any width stay aligned. */
const blockLength = 1 << blockShift
const blockMask = blockLength - 1
const quadBytes = 4
const splitWidth = 5
const widths = [0, 1, 2, quadBytes, splitWidth] as const
const widest = 8
const quadScale = 2 ** 32

const nothing = new ArrayBuffer(0)
const noNumbers = new Float64Array(nothing)

const viewsOf = (memory: ArrayBuffer) => ({
  bytes: new Uint8Array(memory),
  pairs: new Uint16Array(memory),
  quads: new Uint32Array(memory),
  doubles: new Float64Array(memory),
})

/** A column over an array, without packing. */
export const columnOf = (numbers: Float64Array): NumberColumn => ({
  plain: numbers,
  min: noNumbers,
  widths: new Uint8Array(nothing),
  offsets: new Uint32Array(nothing),
  ...viewsOf(nothing),
})

/** Short enough to be inlined into the loops over the numbers of a growing index. */
export const numberAt = (column: NumberColumn, index: number): number =>
  column.plain.length > 0 ? (column.plain[index] ?? 0) : packedNumberAt(column, index)

const packedNumberAt = (column: NumberColumn, index: number): number => {
  const block = index >>> blockShift
  const min = column.min[block] ?? 0
  const width = column.widths[block]
  if (width === 0) return min
  const offset = column.offsets[block] ?? 0
  const rest = index & blockMask
  if (width === 1) return min + (column.bytes[offset + rest] ?? 0)
  if (width === 2) return min + (column.pairs[(offset >>> 1) + rest] ?? 0)
  if (width === widest) return column.doubles[(offset >>> 3) + rest] ?? 0
  const low = min + (column.quads[(offset >>> 2) + rest] ?? 0)
  return width === quadBytes ? low : low + (column.bytes[offset + blockLength * quadBytes + rest] ?? 0) * quadScale
}

/** The memory of a column, in bytes. */
export const bytesOfColumn = ({ plain, min, widths, offsets, bytes }: NumberColumn): number =>
  plain.byteLength + min.byteLength + widths.byteLength + offsets.byteLength + bytes.byteLength

/** The minimum and maximum of a range of the numbers; positive and negative infinity if it is empty. */
const extentBetween = (numbers: Float64Array, start: number, end: number): { first: number; last: number } => {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let index = start; index < end; index++) {
    const value = numbers[index] ?? 0
    if (value < first) first = value
    if (value > last) last = value
  }
  return { first, last }
}

/** Packs the first `count` integers of an array, which is not modified. */
export const packNumbers = (numbers: Float64Array, count: number): NumberColumn => {
  const blocks = Math.ceil(count / blockLength)
  const min = new Float64Array(blocks)
  const widthOf = new Uint8Array(blocks)
  const offsets = new Uint32Array(blocks)
  let end = 0
  for (let block = 0; block < blocks; block++) {
    const start = block * blockLength
    const { first, last } = extentBetween(numbers, start, Math.min(count, start + blockLength))
    const width = widths.find((bytes) => last - first < 2 ** (8 * bytes)) ?? widest
    min[block] = first
    widthOf[block] = width
    offsets[block] = end
    end += width * blockLength
  }
  const column = { plain: noNumbers, min, widths: widthOf, offsets, ...viewsOf(new ArrayBuffer(end)) }
  for (let block = 0; block < blocks; block++) fillBlock(column, block, numbers)
  return column
}

const fillBlock = (column: NumberColumn, block: number, numbers: Float64Array): void => {
  const { bytes, pairs, quads, doubles } = column
  const width = column.widths[block] ?? 0
  const offset = column.offsets[block] ?? 0
  const min = column.min[block] ?? 0
  const start = block * blockLength
  const length = Math.min(blockLength, numbers.length - start)
  if (width === 0) return
  for (let rest = 0; rest < length; rest++) {
    const value = numbers[start + rest] ?? 0
    const past = value - min
    if (width === 1) bytes[offset + rest] = past
    else if (width === 2) pairs[(offset >>> 1) + rest] = past
    else if (width === widest) doubles[(offset >>> 3) + rest] = value
    else {
      quads[(offset >>> 2) + rest] = past % quadScale
      if (width === splitWidth) bytes[offset + blockLength * quadBytes + rest] = past / quadScale
    }
  }
}

/** The minimum and maximum of the first `count` numbers; positive and negative infinity without any. */
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
