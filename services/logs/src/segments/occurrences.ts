import { releaseBuffer } from '../release-buffers.ts'
import { type Bitmap, countBits, createBitmap, hasBit, intersect, setBit } from './bitmap.ts'

/** Documents, ascending, and how often each contains a word (at most 255). */
export type Postings = { documents: Uint32Array; counts: Uint8Array }

/**
 * The documents of a part that contain a word. Most contain it once, so repeated occurrences are stored separately. Results are cached and
 * shared, so they must not be modified.
 */
export type Occurrences = {
  /** The number of documents that contain the word. */
  total: number
  /** These documents: a list where a bitmap would take more memory. */
  in: OccurrenceBitmap | { kind: 'list'; documents: Uint32Array }
  /** The documents that contain it more than once. */
  repeated: Postings
  /** The maximum number of occurrences in a document. */
  max: number
  /** The lowest length code of its documents. */
  min: number
}

export type OccurrenceBitmap = {
  kind: 'bitmap'
  bitmap: Bitmap
  /** By word of the bitmap: the lowest length code of its documents. It is an upper bound for their scores under any statistics. */
  shortest: Uint8Array
}

/** The number of bitmap bits that take as much memory as one document of a list. */
const bitsOfDocument = 32

const repeatedOf = ({ documents, counts }: Postings): Postings => {
  let total = 0
  for (let index = 0; index < counts.length; index++) if (counts[index] !== 1) total++
  const repeated = { documents: new Uint32Array(total), counts: new Uint8Array(total) }
  let found = 0
  for (let index = 0; total > 0 && index < counts.length; index++) {
    const count = counts[index] ?? 1
    if (count === 1) continue
    repeated.documents[found] = documents[index] ?? 0
    repeated.counts[found++] = count
  }
  return repeated
}

const toBitmap = (listed: Uint32Array, documents: number): Bitmap => {
  const bitmap = createBitmap(documents)
  for (let index = 0; index < listed.length; index++) setBit(bitmap, listed[index] ?? 0)
  return bitmap
}

const toOccurrenceBitmap = (listed: Uint32Array, documents: number, lengthCodes: Uint8Array): OccurrenceBitmap => {
  const bitmap = createBitmap(documents)
  const shortest = new Uint8Array(bitmap.length).fill(255)
  for (let index = 0; index < listed.length; index++) {
    const document = listed[index] ?? 0
    setBit(bitmap, document)
    const code = lengthCodes[document] ?? 0
    if (code < (shortest[document >>> 5] ?? 0)) shortest[document >>> 5] = code
  }
  return { kind: 'bitmap', bitmap, shortest }
}

/** The occurrences of a word in a part of `documents` documents; undefined without any. Takes ownership of the postings. */
export const occurrencesOf = (
  postings: Postings,
  { documents, lengthCodes }: { documents: number; lengthCodes: Uint8Array },
): Occurrences | undefined => {
  const total = postings.documents.length
  if (total === 0) return undefined
  const repeated = repeatedOf(postings)
  const occurrences: Occurrences = {
    total,
    in:
      total * bitsOfDocument > documents
        ? toOccurrenceBitmap(postings.documents, documents, lengthCodes)
        : { kind: 'list', documents: postings.documents },
    repeated,
    max: repeated.counts.reduce((max, count) => Math.max(max, count), 1),
    min: postings.documents.reduce((min, document) => Math.min(min, lengthCodes[document] ?? 0), 255),
  }
  releaseBuffer(postings.counts)
  if (occurrences.in.kind === 'bitmap') releaseBuffer(postings.documents)
  return occurrences
}

/**
 * Merges the postings of several words, such as those with a prefix, into one: counts of a document are added. Takes ownership of the postings.
 */
export const mergePostings = (all: Iterable<Postings>, documents: number): Postings => {
  const sums = new Uint8Array(documents)
  let total = 0
  for (const { documents: having, counts } of all) {
    for (let index = 0; index < having.length; index++) {
      const document = having[index] ?? 0
      const known = sums[document] ?? 0
      if (known === 0) total++
      sums[document] = Math.min(255, known + (counts[index] ?? 0))
    }
    releaseBuffer(having)
    releaseBuffer(counts)
  }
  const merged = { documents: new Uint32Array(total), counts: new Uint8Array(total) }
  let found = 0
  for (let document = 0; found < total; document++) {
    const count = sums[document] ?? 0
    if (count === 0) continue
    merged.documents[found] = document
    merged.counts[found++] = count
  }
  releaseBuffer(sums)
  return merged
}

/** Must not be modified: it may be the bitmap of the occurrences. */
export const bitmapOf = ({ in: where }: Occurrences, documents: number): Bitmap =>
  where.kind === 'bitmap' ? where.bitmap : toBitmap(where.documents, documents)

/** Without hidden documents; undefined if none is left. */
export const onlyVisible = (occurrences: Occurrences, visible: Bitmap): Occurrences | undefined => {
  const seen = visiblePlaces(occurrences.in, visible)
  if (seen.total === 0) return undefined
  const { documents, counts } = occurrences.repeated
  const isSeen = documents.map((document) => Number(hasBit(visible, document)))
  const repeated = {
    documents: documents.filter((_, index) => isSeen[index] === 1),
    counts: counts.filter((_, index) => isSeen[index] === 1),
  }
  return { ...occurrences, ...seen, repeated }
}

const visiblePlaces = (where: Occurrences['in'], visible: Bitmap): Pick<Occurrences, 'in' | 'total'> => {
  if (where.kind === 'list') {
    const documents = where.documents.filter((document) => hasBit(visible, document))
    return { total: documents.length, in: { kind: 'list', documents } }
  }
  const bitmap = where.bitmap.slice()
  intersect(bitmap, visible)
  return { total: countBits(bitmap), in: { ...where, bitmap } }
}

/** Estimated memory, in bytes. */
export const bytesOf = ({ in: where, repeated }: Occurrences): number =>
  256 +
  (where.kind === 'bitmap' ? where.bitmap.byteLength + where.shortest.byteLength : where.documents.byteLength) +
  repeated.documents.length * 5
