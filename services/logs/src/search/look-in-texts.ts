import { type Bitmap, countBits, documentsOf, setBit, subtract, unite } from '../segments/bitmap.ts'
import type { Part } from '../segments/part.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { Slices } from '../slices.ts'
import type { KeeperOf } from './keep-counts.ts'
import { inLanes } from './lanes.ts'
import type { Leaving } from './leaving.ts'
import { matchesWords, type Query } from './query.ts'

/** What the words of a query let through in a part, and of which of that only the text tells. */
export type Doubted = { part: Part; matched: Bitmap; doubtful: Bitmap }

/** What is left of it, and how many documents that is. */
export type Settled = { matched: Bitmap; total: number }

export type LookOptions = {
  query: Query
  /** With more doubtful documents than this some of them are looked at, and stand for the others. */
  maxTexts: number
  keeperOf: KeeperOf
  slices: Slices
  signal: Leaving | undefined
}

/** Documents that lie together share blocks of texts, so they are looked at by so many in a row. */
const run = 32

/**
 * Of each stretch of so many doubtful documents one run is looked at. A stretch is a run times a power of two, so that what was kept
 * serves while entries come in.
 */
const stretchFor = (doubtful: number, maxTexts: number): number => {
  let stretch = run
  while ((doubtful * run) / stretch > maxTexts) stretch *= 2
  return stretch
}

/** Where in its stretch a run begins: spread, so that what comes back at regular distances is not met each time, and always the same. */
const runStart = (number: number, length: number): number =>
  length <= run ? 0 : (Math.imul(number + 1, 0x9e3779b1) >>> 0) % (length - run + 1)

/**
 * Looks at texts of doubtful documents, at all of them where a stretch is a run. As many of those that are not looked at are taken to hold
 * as did among those of their stretch, so that all that is counted by the result fits together.
 */
const holding = async ({ part, doubtful }: Doubted, stretch: number, { query, slices, signal }: LookOptions) => {
  const documents = documentsOf(doubtful)
  const held = new Uint32Array(doubtful.length)
  let due = 0.5
  for (let from = 0; from < documents.length; from += stretch) {
    signal?.throwIfAborted()
    if (slices.isOver()) await slices.pause()
    const these = documents.subarray(from, from + stretch)
    const start = runStart(from / stretch, these.length)
    const looked = these.subarray(start, start + run)
    let hits = 0
    for (const document of looked) {
      if (!matchesWords(query, wordsOf(await part.text(document)))) continue
      setBit(held, document)
      hits++
    }
    const share = hits / looked.length
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
 * Takes out of what matched by its words what does not hold in its text. Where that is more than can be looked at, the result is an
 * estimate that depends on the question alone, neither on a page nor on its length. `counted` names which of them it is.
 */
export const lookInTexts = async (
  matches: readonly Doubted[],
  options: LookOptions,
): Promise<{ settled: Settled[]; isExact: boolean; counted: string }> => {
  const all = matches.reduce((sum, { doubtful }) => sum + countBits(doubtful), 0)
  const stretch = stretchFor(all, options.maxTexts)
  const counted = `texts by ${stretch}`
  const settled = await inLanes(matches, 8, async (match): Promise<Settled> => {
    const held = await options.keeperOf(match.part)(counted, async () => {
      const value = await holding(match, stretch, options)
      return { value, bytes: value.byteLength }
    })
    const matched = match.matched.slice()
    subtract(matched, match.doubtful)
    unite(matched, held)
    return { matched, total: countBits(matched) }
  })
  return { settled, isExact: stretch === run, counted }
}
