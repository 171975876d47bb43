import { meanOf } from '../dsp/statistics.ts'
import { type BarSimilarity, compareBars, type StructureInput } from './bar-similarity.ts'
import { sameSection, sectionStarts, shortestBars } from './section-boundaries.ts'

/** A section of a piece: beats that belong together, and what it repeats. */
export type Section = {
  /** Index of its first beat, and of the beat after its last. */
  readonly firstBeat: number
  readonly endBeat: number
  /** Sections with the same label sound alike; the first is 0. */
  readonly label: number
}

/** The longest piece whose structure is searched (bars): the effort grows with the square. */
const mostBars = 1_500

/** First beats of bars. */
const barsOf = (positions: readonly number[]): number[] =>
  positions.flatMap((position, beat) => (position === 0 ? [beat] : []))

/** How unlike two passages are, at the best of the places where one may have been found a bar early or late. */
const unlikeness = (
  { distances, count }: BarSimilarity,
  [earlier, later]: readonly [number, number],
  length: number,
): number => {
  const values = [-1, 0, 1].flatMap((shift) => {
    const pairs = Array.from({ length }, (_, i) => [earlier + shift + i, later + i] as const).filter(
      ([one]) => one >= 0 && one < later,
    )
    if (pairs.length < Math.min(length, shortestBars)) return []
    return [meanOf(pairs.map(([one, other]) => distances[one * count + other] ?? 1))]
  })
  return Math.min(...values)
}

/** Labels of sections that begin with some bars: that of the most similar section before it, or a new one. */
const labelsOf = (similarity: BarSimilarity, starts: readonly number[]): number[] => {
  const lengths = starts.map((start, index) => (starts[index + 1] ?? similarity.count) - start)
  const labels: number[] = []
  for (const [index, start] of starts.entries()) {
    const values = starts.slice(0, index).map((earlier, other) => {
      const length = Math.min(lengths[index] ?? 0, lengths[other] ?? 0)
      return unlikeness(similarity, [earlier, start], length)
    })
    const least = Math.min(...values)
    const known = least < sameSection * similarity.unit ? labels[values.indexOf(least)] : undefined
    labels.push(known ?? Math.max(-1, ...labels) + 1)
  }
  return labels
}

/** Finds the sections of a piece by the similarity of its bars; none in a piece of fewer than eight. */
export const findSections = (input: StructureInput): Section[] => {
  const bars = barsOf(input.positions)
  if (bars.length < 2 * shortestBars || bars.length > mostBars) return []
  const similarity = compareBars(input, bars)
  const starts = sectionStarts(similarity)
  return labelsOf(similarity, starts).map((label, index) => ({
    firstBeat: bars[starts[index] ?? 0] ?? 0,
    endBeat: bars[starts[index + 1] ?? bars.length] ?? input.positions.length,
    label,
  }))
}

/** Bars of a phrase, as nearly all music has them. */
const phraseBars = 4

/** Place of each beat in its phrase (0 to 1, circular): bars are counted from the beginning of their section. */
export const phrasePlaces = (
  { positions, beatsPerBar }: Pick<StructureInput, 'positions' | 'beatsPerBar'>,
  sections: readonly Section[],
): Float32Array => {
  const places = new Float32Array(positions.length)
  const firstBar = positions.indexOf(0)
  const phrase = phraseBars * beatsPerBar
  for (let beat = 0; beat < positions.length; beat++) {
    const section = sections.findLast(({ firstBeat }) => firstBeat <= beat)
    const from = section?.firstBeat ?? Math.max(0, firstBar)
    places[beat] = ((((beat - from) % phrase) + phrase) % phrase) / phrase
  }
  return places
}
