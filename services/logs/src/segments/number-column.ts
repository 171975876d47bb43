/**
 * Numbers by document. A column that has been packed holds them in blocks of `blockLength`, each as what its numbers are past the least of
 * the block, in as few bytes as the greatest of them needs: lines that follow each other have numbers near each other.
 */
export type NumberColumn = {
  /** The numbers as they are, where they are not packed; empty otherwise. */
  plain: Float64Array
  /** By block: the least number. */
  min: Float64Array
  /** By block: how many bytes each of its numbers has, one of `widths`. */
  widths: Uint8Array
  /** By block: where its numbers begin in `bytes`, a multiple of `blockLength`. */
  places: Uint32Array
  /** Of a number of `splitWidth` bytes the lower four stand first, for the whole block, and then the highest of each. */
  bytes: Uint8Array
  // The same memory as wider numbers.
  pairs: Uint16Array
  quads: Uint32Array
  doubles: Float64Array
}

const blockShift = 7
/** A multiple of eight, so that any width is aligned behind any other. */
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

/** A column over numbers as they are. */
export const columnOf = (numbers: Float64Array): NumberColumn => ({
  plain: numbers,
  min: noNumbers,
  widths: new Uint8Array(nothing),
  places: new Uint32Array(nothing),
  ...viewsOf(nothing),
})

/** Short, so that it becomes a part of the loops that ask for every number of an index that grows. */
export const numberAt = (column: NumberColumn, index: number): number =>
  column.plain.length > 0 ? (column.plain[index] ?? 0) : packedNumberAt(column, index)

const packedNumberAt = (column: NumberColumn, index: number): number => {
  const block = index >>> blockShift
  const min = column.min[block] ?? 0
  const width = column.widths[block]
  if (width === 0) return min
  const place = column.places[block] ?? 0
  const rest = index & blockMask
  if (width === 1) return min + (column.bytes[place + rest] ?? 0)
  if (width === 2) return min + (column.pairs[(place >>> 1) + rest] ?? 0)
  if (width === widest) return column.doubles[(place >>> 3) + rest] ?? 0
  const low = min + (column.quads[(place >>> 2) + rest] ?? 0)
  return width === quadBytes ? low : low + (column.bytes[place + blockLength * quadBytes + rest] ?? 0) * quadScale
}

/** What a column takes in memory. */
export const bytesOfColumn = ({ plain, min, widths, places, bytes }: NumberColumn): number =>
  plain.byteLength + min.byteLength + widths.byteLength + places.byteLength + bytes.byteLength

/** The least and the greatest of the numbers from one place to another; infinite the wrong way round where there is none. */
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

/** Packs the first so many whole numbers of an array, which stays the caller's. */
export const packNumbers = (numbers: Float64Array, count: number): NumberColumn => {
  const blocks = Math.ceil(count / blockLength)
  const min = new Float64Array(blocks)
  const widthOf = new Uint8Array(blocks)
  const places = new Uint32Array(blocks)
  let end = 0
  for (let block = 0; block < blocks; block++) {
    const start = block * blockLength
    const { first, last } = extentBetween(numbers, start, Math.min(count, start + blockLength))
    const width = widths.find((bytes) => last - first < 2 ** (8 * bytes)) ?? widest
    min[block] = first
    widthOf[block] = width
    places[block] = end
    end += width * blockLength
  }
  const column = { plain: noNumbers, min, widths: widthOf, places, ...viewsOf(new ArrayBuffer(end)) }
  for (let block = 0; block < blocks; block++) fillBlock(column, block, numbers)
  return column
}

const fillBlock = (column: NumberColumn, block: number, numbers: Float64Array): void => {
  const { bytes, pairs, quads, doubles } = column
  const width = column.widths[block] ?? 0
  const place = column.places[block] ?? 0
  const min = column.min[block] ?? 0
  const start = block * blockLength
  const length = Math.min(blockLength, numbers.length - start)
  if (width === 0) return
  for (let rest = 0; rest < length; rest++) {
    const value = numbers[start + rest] ?? 0
    const past = value - min
    if (width === 1) bytes[place + rest] = past
    else if (width === 2) pairs[(place >>> 1) + rest] = past
    else if (width === widest) doubles[(place >>> 3) + rest] = value
    else {
      quads[(place >>> 2) + rest] = past % quadScale
      if (width === splitWidth) bytes[place + blockLength * quadBytes + rest] = past / quadScale
    }
  }
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
