import { meanOf, median } from '../dsp/statistics.ts'

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
/** Half the size of the checkerboard (bars), and the shortest section. */
const kernelBars = 6
const shortestBars = 4
/** How far novelty must rise above its surroundings, as a share of the largest. */
const prominence = 0.2
/** Sections whose bars differ less than this, on the median, are the same. */
const sameSection = 0.55
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

/** Means along the diagonals: two bars are alike if those around them are, too (path enhancement). */
const enhance = (distances: Float32Array, count: number): Float32Array => {
  const enhanced = new Float32Array(count * count)
  const reach = Math.floor(pathBars / 2)
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      let [sum, weight] = [0, 0]
      for (let shift = -reach; shift <= reach; shift++) {
        if (Math.min(a, b) + shift < 0 || Math.max(a, b) + shift >= count) continue
        sum += distances[(a + shift) * count + b + shift] ?? 0
        weight++
      }
      enhanced[a * count + b] = sum / weight
    }
  }
  return enhanced
}

/** How much the bars before each bar differ from those after it, compared with the differences within each side (Foote 2000). */
const noveltyOf = (distances: Float32Array, count: number): number[] =>
  Array.from({ length: count }, (_, bar) => {
    const reach = Math.min(kernelBars, bar, count - bar)
    if (reach < 2) return 0
    let [across, within, acrossWeight, withinWeight] = [0, 0, 0, 0]
    for (let i = -reach; i < reach; i++) {
      for (let j = i + 1; j < reach; j++) {
        const weight = Math.exp(-((i + 0.5) ** 2 + (j + 0.5) ** 2) / (2 * (kernelBars / 2) ** 2))
        const value = distances[(bar + i) * count + bar + j] ?? 0
        if (i < 0 && j >= 0) {
          across += weight * value
          acrossWeight += weight
        } else {
          within += weight * value
          withinWeight += weight
        }
      }
    }
    return Math.max(0, across / acrossWeight - within / Math.max(1e-9, withinWeight)) * (reach / kernelBars) ** 0.5
  })

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
  const starts = boundariesOf(noveltyOf(enhanced, count))
  const sections: Section[] = []
  const lengthOf = (index: number) => (starts[index + 1] ?? count) - (starts[index] ?? 0)
  // Every 17th distance, since only their median is needed.
  const unit = median(distances.filter((value, i) => value > 0 && i % 17 === 0)) || 1
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
