import { meanOf, median, quantile } from '../dsp/statistics.ts'

/** A section of a piece: beats that belong together, and what it repeats. */
export type Section = {
  /** Index of its first beat, and of the beat after its last. */
  readonly firstBeat: number
  readonly endBeat: number
  /** Sections with the same label sound alike; the first is 0. */
  readonly label: number
}

/** Beats, their positions in bars, and how unlike two of them sound (1: as two random ones). */
export type StructureInput = {
  readonly positions: readonly number[]
  readonly beatsPerBar: number
  readonly distance: (a: number, b: number) => number
}

/** Bars over which similarity must last, so that one bar that happens to be alike is no repetition. */
const pathBars = 4
/** Bars on each side of a boundary that are compared, and the shortest section. */
const kernelBars = 4
const shortestBars = 4
/** How far novelty must rise above its surroundings, as a share of the largest. */
const prominence = 0.2
/** Sections whose bars differ less than this, on the median, are the same. */
const sameSection = 0.55
/** At most this share of all pairs of bars is alike. */
const alikeShare = 0.15
/** The longest piece whose structure is searched (bars): the effort grows with the square. */
const mostBars = 1_500

/** First beats of bars. */
const barsOf = (positions: readonly number[]): number[] =>
  positions.flatMap((position, beat) => (position === 0 ? [beat] : []))

/** How unlike two bars are: a mean over their beats. */
const barDistances = ({ beatsPerBar, positions, distance }: StructureInput, bars: readonly number[]): Float32Array => {
  const count = bars.length
  const distances = new Float32Array(count * count)
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      let sum = 0
      for (let beat = 0; beat < beatsPerBar; beat++) {
        const [one, other] = [(bars[a] ?? 0) + beat, (bars[b] ?? 0) + beat]
        sum += distance(Math.min(one, positions.length - 1), Math.min(other, positions.length - 1))
      }
      distances[a * count + b] = sum / beatsPerBar
      distances[b * count + a] = sum / beatsPerBar
    }
  }
  return distances
}

/** Medians along the diagonals: two bars are alike if most of those around them are (path enhancement). */
const enhance = (distances: Float32Array, count: number): Float32Array => {
  const enhanced = new Float32Array(count * count)
  const reach = Math.floor(pathBars / 2)
  // An insertion sort: there are few values for each of many pairs of bars.
  const around = new Float32Array(2 * reach + 1)
  for (let a = 0; a < count; a++) {
    for (let b = a; b < count; b++) {
      let size = 0
      for (let shift = -reach; shift <= reach; shift++) {
        if (a + shift < 0 || b + shift >= count) continue
        const value = distances[(a + shift) * count + b + shift] ?? 0
        let at = size++
        for (; at > 0 && (around[at - 1] ?? 0) > value; at--) around[at] = around[at - 1] ?? 0
        around[at] = value
      }
      enhanced[a * count + b] = around[size >> 1] ?? 0
      enhanced[b * count + a] = enhanced[a * count + b] ?? 0
    }
  }
  return enhanced
}

/** For each bar and lag (COUNT values before it, COUNT after), whether the music is alike there: 0 or 1, slightly blurred. */
const recurrence = (enhanced: Float32Array, count: number, limit: number): Float32Array => {
  const lags = 2 * count
  const found = new Float32Array(count * lags)
  for (let bar = 0; bar < count; bar++)
    for (let other = 0; other < count; other++) {
      if (Math.abs(other - bar) < shortestBars || (enhanced[bar * count + other] ?? 1) > limit) continue
      const at = bar * lags + other - bar + count
      found[at] = 1
    }
  return found
}

/**
 * How much what each bar repeats changes there: a section that repeats another begins where the repetition does (structure
 * features: Serrà et al. 2012).
 */
const noveltyOf = (enhanced: Float32Array, count: number, limit: number): number[] => {
  const lags = 2 * count
  const found = recurrence(enhanced, count, limit)
  return Array.from({ length: count }, (_, bar) => {
    const reach = Math.min(kernelBars, bar, count - bar)
    if (reach < 2) return 0
    let [changes, repeats] = [0, 0]
    for (let lag = 0; lag < lags; lag++) {
      let [before, after] = [0, 0]
      for (let i = 1; i <= reach; i++) {
        before += found[(bar - i) * lags + lag] ?? 0
        after += found[(bar + i - 1) * lags + lag] ?? 0
      }
      changes += ((after - before) / reach) ** 2
      repeats += ((after + before) / reach) ** 2
    }
    return repeats > 0 ? Math.sqrt(changes) : 0
  })
}

/** Bars in which sections begin: the first, and tops of novelty far enough apart, the clearest first. */
const boundariesOf = (novelty: readonly number[]): number[] => {
  const largest = Math.max(...novelty)
  const chosen = [0]
  const candidates = novelty
    .map((value, bar) => ({ value, bar }))
    .filter(({ value, bar }) => {
      const around = novelty.slice(Math.max(0, bar - shortestBars), bar + shortestBars + 1)
      return value > 0 && value >= Math.max(...around) && value - Math.min(...around) >= prominence * largest
    })
    .sort((a, b) => b.value - a.value)
  for (const { bar } of candidates) if (chosen.every((other) => Math.abs(other - bar) >= shortestBars)) chosen.push(bar)
  return chosen.sort((a, b) => a - b)
}

/** Finds the sections of a piece by the similarity of its bars. */
export const findSections = (input: StructureInput): Section[] => {
  const bars = barsOf(input.positions)
  const count = bars.length
  if (count < 2 * shortestBars || count > mostBars) return []
  const distances = barDistances(input, bars)
  const enhanced = enhance(distances, count)
  // Every 17th distance, since only their median is needed.
  const unit = median(distances.filter((value, i) => value > 0 && i % 17 === 0)) || 1
  const limit = Math.min(
    quantile(
      enhanced.filter((value, i) => value > 0 && i % 17 === 0),
      alikeShare,
    ),
    sameSection * unit,
  )
  const starts = boundariesOf(noveltyOf(enhanced, count, limit))
  const sections: Section[] = []
  const lengthOf = (index: number) => (starts[index + 1] ?? count) - (starts[index] ?? 0)
  let labels = 0
  for (const [index, start] of starts.entries()) {
    const likeness = sections.map((section, other) => {
      const length = Math.min(lengthOf(index), lengthOf(other))
      return {
        label: section.label,
        value: meanOf(Array.from({ length }, (_, i) => distances[(start + i) * count + (starts[other] ?? 0) + i] ?? 1)),
      }
    })
    const nearest = likeness.sort((a, b) => a.value - b.value)[0]
    const isKnown = nearest !== undefined && nearest.value < sameSection * unit
    sections.push({
      firstBeat: bars[start] ?? 0,
      endBeat: bars[starts[index + 1] ?? count] ?? input.positions.length,
      label: isKnown ? nearest.label : labels++,
    })
  }
  return sections
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
