import { type Bitmap, countBits, documentsOf, setBit, subtract, unite } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { TimeSlices } from '../time-slices.ts'
import type { AbortCheck } from './abort-check.ts'
import type { CacheOf } from './cache-counts.ts'
import { inLanes } from './lanes.ts'
import { matchesWords, type Query } from './query.ts'

/** The documents of a part that match by their words, and those of them whose text decides. */
export type Unchecked = { part: Part; matched: Bitmap; doubtful: Bitmap }

/** The documents that match after their texts were checked, and their number. */
export type Checked = { matched: Bitmap; total: number }

export type CheckOptions = {
  query: Query
  /** With more doubtful documents than this, a sample of them is checked and extrapolated. */
  maxTexts: number
  cacheOf: CacheOf
  slices: TimeSlices
  signal: AbortCheck | undefined
}

/** Documents checked in a row: adjacent documents share blocks of texts. */
const run = 32

/**
 * One run is checked in each stretch of this many doubtful documents. A stretch is a run times a power of two, so that cached results remain usable
 * while entries arrive.
 */
const stretchFor = (doubtful: number, maxTexts: number): number => {
  let stretch = run
  while ((doubtful * run) / stretch > maxTexts) stretch *= 2
  return stretch
}

/** The start of the run in its stretch: pseudo-random, so that periodic lines do not bias the sample, and deterministic. */
const runStart = (number: number, length: number): number =>
  length <= run ? 0 : (Math.imul(number + 1, 0x9e3779b1) >>> 0) % (length - run + 1)

/**
 * Checks the texts of doubtful documents; of all of them if a stretch is a run. The share of matches in each run is extrapolated to the rest of its
 * stretch by selecting that many documents, so that all counts derived from the result are consistent.
 */
const holding = async ({ part, doubtful }: Unchecked, stretch: number, { query, slices, signal }: CheckOptions) => {
  const documents = documentsOf(doubtful)
  const held = new Uint32Array(doubtful.length)
  let due = 0.5
  for (let from = 0; from < documents.length; from += stretch) {
    signal?.throwIfAborted()
    if (slices.isOver()) await slices.pause()
    const these = documents.subarray(from, from + stretch)
    const start = runStart(from / stretch, these.length)
    const checked = these.subarray(start, start + run)
    let hits = 0
    for (const document of checked) {
      if (!matchesWords(query, wordsOf(await part.text(document)))) continue
      setBit(held, document)
      hits++
    }
    const share = hits / checked.length
    for (const document of [...these.subarray(0, start), ...these.subarray(start + run)]) {
      due += share
      if (due < 1) continue
      setBit(held, document)
      due--
    }
  }
  return held
}

/**
 * Removes from the matches the documents whose texts do not match. If there are too many to check, the result is an estimate that only depends on the
 * query and the filters, not on the page or its length. `counted` names the variant of the estimate.
 */
export const checkTexts = async (
  matches: readonly Unchecked[],
  options: CheckOptions,
): Promise<{ checked: Checked[]; isExact: boolean; counted: string }> => {
  const all = matches.reduce((sum, { doubtful }) => sum + countBits(doubtful), 0)
  const stretch = stretchFor(all, options.maxTexts)
  const counted = `texts by ${stretch}`
  const checked = await inLanes(matches, 8, async (match): Promise<Checked> => {
    const held = await options.cacheOf(match.part)(counted, async () => {
      const value = await holding(match, stretch, options)
      return { value, bytes: value.byteLength }
    })
    const matched = match.matched.slice()
    subtract(matched, match.doubtful)
    unite(matched, held)
    return { matched, total: countBits(matched) }
  })
  return { checked, isExact: stretch === run, counted }
}
