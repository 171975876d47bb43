import type { Bitmap } from './bitmap.ts'

/** What facets count by, in one column: for each document the number of its pair of a stream and a set of patterns. */
export type Cells = {
  cellOf: Uint16Array | Uint32Array
  /** By the number of the pair. */
  streams: Uint32Array
  patternSets: Uint32Array
}

/** So many numbers fit the narrower column, and so many the wider. */
const mostNarrow = 65_536
const mostWide = 2 ** 32

/** Pairs are numbered as they are met. */
export const cellsOf = (streamOf: Uint16Array, patternSetOf: Uint16Array, documents: number): Cells => {
  const numbers = new Map<number, number>()
  const wide = new Uint32Array(documents)
  let [before, cell] = [-1, 0]
  for (let document = 0; document < documents; document++) {
    const pair = (streamOf[document] ?? 0) * mostNarrow + (patternSetOf[document] ?? 0)
    if (pair !== before) {
      before = pair
      const known = numbers.get(pair)
      cell = known ?? numbers.size
      if (known === undefined) numbers.set(pair, cell)
    }
    wide[document] = cell
  }
  const pairs = [...numbers.keys()]
  return {
    cellOf: pairs.length <= mostNarrow ? Uint16Array.from(wide) : wide,
    streams: Uint32Array.from(pairs, (pair) => Math.floor(pair / mostNarrow)),
    patternSets: Uint32Array.from(pairs, (pair) => pair % mostNarrow),
  }
}

/** For each document the bucket of its time, counted from the bucket that begins at `start`, epoch milliseconds. */
export type BucketColumn = { start: number; bucketOf: Uint16Array | Uint32Array }

/** Buckets aligned to their length; undefined where the times are too far apart for a column of them. */
export const bucketColumnOf = (
  times: Float64Array,
  { documents, firstTime, lastTime }: { documents: number; firstTime: number; lastTime: number },
  milliseconds: number,
): BucketColumn | undefined => {
  const start = Math.floor(firstTime / milliseconds) * milliseconds
  const buckets = (lastTime - start) / milliseconds
  if (!(buckets < mostWide)) return undefined
  const bucketOf = buckets < mostNarrow ? new Uint16Array(documents) : new Uint32Array(documents)
  for (let document = 0; document < documents; document++)
    bucketOf[document] = Math.floor(((times[document] ?? 0) - start) / milliseconds)
  return { start, bucketOf }
}

/** How many of the documents have each of so many numbers from the first on; they have no other. */
export const countNumbers = (
  matched: Bitmap,
  numbers: Uint16Array | Uint32Array,
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
