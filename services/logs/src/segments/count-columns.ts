import { releaseBuffer } from '../release-buffers.ts'
import type { Bitmap } from './bitmap.ts'
import { type Blocks, newBlocks } from './blocks.ts'
import { type NumberColumn, numberAt } from './number-column.ts'

/** Non-negative integers by document, in the narrowest array that fits them. */
export type SmallNumbers = Uint8Array | Uint16Array | Uint32Array

/** The columns that facets count, combined in one: for each document the number of its pair of a stream and a pattern set. */
export type Cells = {
  cellOf: SmallNumbers
  /** By the number of the pair. */
  streams: Uint32Array
  patternSets: Uint32Array
}

/** How many distinct numbers fit a column of one, two and four bytes. */
const maxNarrowest = 256
const maxNarrow = 65_536
const maxWide = 2 ** 32

/** Numbers the pairs of consecutive documents, as in a growing index, in order of first occurrence. `clear` frees the memory. */
export const createCells = (
  capacity: number,
  blocks: Blocks = newBlocks,
): { upTo: (documents: number, columns: PairColumns) => Cells; clear: () => void } => {
  const numbers = new Map<number, number>()
  const cellOf = new Uint32Array(blocks.take(capacity * 4), 0, capacity)
  let known = 0
  return {
    upTo: (documents, { streamOf, patternSetOf }) => {
      let [before, cell] = [-1, 0]
      for (; known < documents; known++) {
        const pair = (streamOf[known] ?? 0) * maxNarrow + (patternSetOf[known] ?? 0)
        if (pair !== before) {
          before = pair
          cell = numbers.get(pair) ?? numbers.size
          numbers.set(pair, cell)
        }
        cellOf[known] = cell
      }
      const pairs = [...numbers.keys()]
      return {
        cellOf,
        streams: Uint32Array.from(pairs, (pair) => Math.floor(pair / maxNarrow)),
        patternSets: Uint32Array.from(pairs, (pair) => pair % maxNarrow),
      }
    },
    clear: () => blocks.free(cellOf.buffer),
  }
}

/** The columns of the pairs, by document. */
export type PairColumns = { streamOf: SmallNumbers; patternSetOf: SmallNumbers }

/** The same for all documents of a segment, in the narrowest array that fits. */
export const cellsOf = (columns: PairColumns, documents: number): Cells => {
  const cells = createCells(documents).upTo(documents, columns)
  const cellOf = narrowed(cells.cellOf, cells.streams.length)
  if (cellOf !== cells.cellOf) releaseBuffer(cells.cellOf)
  return { ...cells, cellOf }
}

/** Copies numbers with `distinct` different values to a narrower array, if there is one. */
export const narrowed = (numbers: SmallNumbers, distinct: number): SmallNumbers => {
  const { BYTES_PER_ELEMENT: width } = numbers
  if (distinct <= maxNarrowest) return width === 1 ? numbers : Uint8Array.from(numbers)
  return distinct <= maxNarrow && width > 2 ? Uint16Array.from(numbers) : numbers
}

/** For each document the bucket of its time, counted from the bucket that begins at `start`, epoch milliseconds. */
export type BucketColumn = { start: number; bucketOf: SmallNumbers }

/** Buckets aligned to their length; undefined where the times are too far apart for such a column. */
export const bucketColumnOf = (
  times: NumberColumn,
  { documents, firstTime, lastTime }: { documents: number; firstTime: number; lastTime: number },
  milliseconds: number,
): BucketColumn | undefined => {
  const start = Math.floor(firstTime / milliseconds) * milliseconds
  const buckets = (lastTime - start) / milliseconds
  if (!(buckets < maxWide)) return undefined
  const bucketOf = buckets < maxNarrow ? new Uint16Array(documents) : new Uint32Array(documents)
  for (let document = 0; document < documents; document++)
    bucketOf[document] = Math.floor((numberAt(times, document) - start) / milliseconds)
  return { start, bucketOf }
}

/** Counts the matched documents by number, for `distinct` numbers from `first` on; they must have no others. */
export const countNumbers = (
  matched: Bitmap,
  numbers: SmallNumbers,
  { first = 0, distinct }: { first?: number; distinct: number },
): Uint32Array<ArrayBuffer> => {
  const counts = new Uint32Array(distinct)
  for (let word = 0; word < matched.length; word++) {
    for (let rest = matched[word] ?? 0; rest !== 0; rest &= rest - 1) {
      const number = (numbers[(word << 5) + 31 - Math.clz32(rest & -rest)] ?? 0) - first
      counts[number] = (counts[number] ?? 0) + 1
    }
  }
  return counts
}
