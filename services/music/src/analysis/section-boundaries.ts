import { type BarSimilarity, distanceOfShare } from './bar-similarity.ts'

/** Bars on each side of a boundary whose repetitions are compared, and whose sound is; and the fewest of them. */
const repetitionBars = { least: 2, most: 4 }
const contrastBars = { least: 3, most: 8 }
/** The shortest section. */
export const shortestBars = 4
/** How far novelty must rise above its surroundings, as a share of the largest (at least 1). */
const prominence = 0.15
/** Passages that differ less than this, on the median, are the same. */
export const sameSection = 0.55
/** At most this share of all pairs of bars is alike. */
const alikeShare = 0.15
/** Changes of repetition (of one passage) and of sound (in medians of all distances) that count fully at least. */
const leastChange = { repetition: 1, contrast: 0.5 }

/** For each bar and lag (COUNT values before it, COUNT after), whether the music is alike there: 0 or 1. */
const recurrence = ({ enhanced, count }: BarSimilarity, limit: number): Float32Array => {
  const lags = 2 * count
  const found = new Float32Array(count * lags)
  for (let bar = 0; bar < count; bar++)
    for (let other = 0; other < count; other++) {
      if (Math.abs(other - bar) < shortestBars || (enhanced[bar * count + other] ?? 1) > limit) continue
      found[bar * lags + other - bar + count] = 1
    }
  return found
}

type Reach = { readonly least: number; readonly most: number }

/** Bars on each side of a bar that can be compared; 0 if they are too few. */
const reachAt = (bar: number, count: number, { least, most }: Reach): number => {
  const reach = Math.min(most, bar, count - bar)
  return reach < least ? 0 : reach
}

/**
 * How much what each bar repeats changes there: a section that repeats another begins where the repetition does (structure
 * features: Serrà et al. 2012).
 */
const repetitionNovelty = (similarity: BarSimilarity): number[] => {
  const { count, unit } = similarity
  const lags = 2 * count
  const found = recurrence(similarity, Math.min(distanceOfShare(similarity, alikeShare), sameSection * unit))
  return Array.from({ length: count }, (_, bar) => {
    const reach = reachAt(bar, count, repetitionBars)
    if (reach === 0) return 0
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

type Bars = { readonly from: number; readonly to: number }

/** The mean distance of pairs of different bars, one from each range. */
const meanBetween = ({ distances, count }: BarSimilarity, some: Bars, others: Bars): number => {
  let [sum, pairs] = [0, 0]
  for (let a = some.from; a < some.to; a++)
    for (let b = others.from; b < others.to; b++) {
      if (a === b) continue
      sum += distances[a * count + b] ?? 0
      pairs++
    }
  return sum / pairs
}

/**
 * How much more the bars before and after each bar differ from each other than among themselves (a checkerboard kernel: Foote 2000),
 * in median distances. Repetition alone does not show where a verse ends if the same chorus always follows it.
 */
const contrastNovelty = (similarity: BarSimilarity): number[] =>
  Array.from({ length: similarity.count }, (_, bar) => {
    const reach = reachAt(bar, similarity.count, contrastBars)
    if (reach === 0) return 0
    const before = { from: bar - reach, to: bar }
    const after = { from: bar, to: bar + reach }
    const within = (meanBetween(similarity, before, before) + meanBetween(similarity, after, after)) / 2
    return Math.max(0, meanBetween(similarity, before, after) - within) / similarity.unit
  })

/** Shares of the largest value, or of `least` if that is larger. */
const relative = (values: readonly number[], least: number): number[] => {
  const largest = Math.max(least, ...values)
  return values.map((value) => value / largest)
}

/** How likely a section begins with each bar: a change of what is repeated, or of the sound. */
const noveltyOf = (similarity: BarSimilarity): number[] => {
  const contrast = relative(contrastNovelty(similarity), leastChange.contrast)
  const repetition = relative(repetitionNovelty(similarity), leastChange.repetition)
  return repetition.map((value, bar) => value + (contrast[bar] ?? 0))
}

/** Bars in which sections begin: the first, and tops of novelty far enough apart, the clearest first. */
export const sectionStarts = (similarity: BarSimilarity): number[] => {
  const novelty = noveltyOf(similarity)
  const least = prominence * Math.max(1, ...novelty)
  const chosen = [0]
  const candidates = novelty
    .map((value, bar) => ({ value, bar }))
    .filter(({ value, bar }) => {
      const around = novelty.slice(Math.max(0, bar - shortestBars), bar + shortestBars + 1)
      return value > 0 && value >= Math.max(...around) && value - Math.min(...around) >= least
    })
    .sort((a, b) => b.value - a.value)
  for (const { bar } of candidates) if (chosen.every((other) => Math.abs(other - bar) >= shortestBars)) chosen.push(bar)
  return chosen.sort((a, b) => a - b)
}
