import { clamp, meanOf } from '../dsp/statistics.ts'
import { chromaHop, type Peaks, tuningOf } from './chroma.ts'
import { analysisRate } from './spectral-frames.ts'

/** Names as musicians write them: the sign with fewer accidentals in the key. */
const names = {
  major: ['C', 'Db', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'],
  minor: ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'G#', 'A', 'Bb', 'B'],
} as const

/** How often each degree occurs in a key, from the tonic upwards (Albrecht and Shanahan 2013), as square roots. */
const profiles: Record<'major' | 'minor', readonly number[]> = {
  major: [0.238, 0.006, 0.111, 0.006, 0.137, 0.094, 0.016, 0.214, 0.009, 0.08, 0.008, 0.081].map(Math.sqrt),
  minor: [0.22, 0.006, 0.104, 0.123, 0.019, 0.103, 0.012, 0.214, 0.062, 0.022, 0.061, 0.052].map(Math.sqrt),
}

/** A key by name, such as "F major" or "C# minor", and how well it fits (correlation, -1..1). */
export type Key = {
  readonly name: string
  readonly fit: number
  /** How likely it is (0..1), of all keys. */
  readonly confidence: number
}

/** Fits below this are not a key: noise, drums, silence. */
const minFit = 0.45
/** Length of a stretch that has one vote (s). */
const stretchSeconds = 8
/** Decrease of the likelihood of a key by how much less it fits. */
const sharpness = 24
/** Pitch classes in which a key can be distinguished from its relatives: those of a triad. Fewer have no key. */
const fullEvidence = 3
/** A pitch class sounds if it rises above the noise by this share of what the strongest does. */
const soundingShare = 0.1
/** A partial sounds as its fundamental, too, if that sounds: intervals (semitones) below it, and shares. */
const fundamentals: readonly (readonly [below: number, share: number])[] = [
  [0, 1],
  [12, 0.4],
  [19, 0.25],
  [24, 0.2],
  [28, 0.08],
]
/** Weight of a peak that no adjacent frame has (an attack or noise), and how near (semitones) is the same. */
const fleeting = 0.25
const samePitch = 0.3

const correlation = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const [meanA, meanB] = [meanOf(a), meanOf(b)]
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [(a[i] ?? 0) - meanA, (b[i] ?? 0) - meanB]
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return squaresA * squaresB > 0 ? product / Math.sqrt(squaresA * squaresB) : 0
}

const keys = (['major', 'minor'] as const).flatMap((mode) =>
  names[mode].map((note, tonic) => ({
    name: `${note} ${mode}`,
    profile: Array.from({ length: 12 }, (_, i) => profiles[mode][(i - tonic + 12) % 12] ?? 0),
  })),
)

/** Strengths of pitch classes in each stretch: of steady peaks, each counted for the notes that it may be a partial of. */
const stretchesOf = ({ counts, pitches, strengths }: Peaks): Float64Array[] => {
  const tuning = tuningOf({ counts, pitches, strengths })
  const framesPerStretch = Math.max(1, Math.round((stretchSeconds * analysisRate) / chromaHop))
  const stretches: Float64Array[] = []
  let [previous, start] = [0, 0]
  for (let frame = 0; frame < counts.length; frame++) {
    const end = start + (counts[frame] ?? 0)
    const next = end + (counts[frame + 1] ?? 0)
    const has = (pitch: number, from: number, to: number) => {
      for (let i = from; i < to; i++) if (Math.abs((pitches[i] ?? 0) - pitch) < samePitch) return true
      return false
    }
    const frameStrength = strengths.subarray(start, end).reduce((sum, value) => sum + value, 0)
    const index = Math.floor(frame / framesPerStretch)
    stretches[index] ??= new Float64Array(12)
    const classes = stretches[index]
    for (let i = start; i < end && classes; i++) {
      const pitch = pitches[i] ?? 0
      const isSteady = has(pitch, previous, start) || has(pitch, end, next)
      const strength = ((strengths[i] ?? 0) / frameStrength) * (isSteady ? 1 : fleeting)
      for (const [below, share] of fundamentals) {
        if (below > 0 && !has(pitch - below, start, end)) continue
        const exact = pitch - tuning - below
        const nearest = Math.round(exact)
        const at = ((nearest % 12) + 12) % 12
        classes[at] = (classes[at] ?? 0) + strength * share * Math.cos(Math.PI * (exact - nearest)) ** 2
      }
    }
    previous = start
    start = end
  }
  return stretches
}

/** How many pitch classes sound, weighted by their strengths: the exponential of their entropy. */
const classesIn = (classes: Float64Array): number => {
  const total = classes.reduce((sum, value) => sum + value, 0)
  return Math.exp(
    classes.reduce((sum, value) => (value > 0 ? sum - (value / total) * Math.log(value / total) : sum), 0),
  )
}

/**
 * How many pitch classes a piece uses. The noise is the third weakest class, since no scale uses more than nine: short clicks of
 * any pitch appear a little in all classes.
 */
const countSounding = (stretches: readonly Float64Array[]): number => {
  const sums = Array.from({ length: 12 }, (_, note) => meanOf(stretches.map((classes) => classes[note] ?? 0)))
  const noise = sums.toSorted((a, b) => a - b)[2] ?? 0
  const least = soundingShare * (Math.max(...sums) - noise)
  return sums.filter((value) => value - noise > least).length
}

/** The key that most stretches of a piece support, or null if none fits, or if there are too few notes to have one. */
export const estimateKey = (peaks: Peaks): Key | null => {
  const stretches = stretchesOf(peaks).filter((classes) => classes.some((value) => value > 0))
  const fits = keys.map(({ profile }) => meanOf(stretches.map((classes) => correlation(classes, profile))))
  const fit = Math.max(...fits)
  const best = keys[fits.indexOf(fit)]
  if (!best || fit < minFit || countSounding(stretches) < fullEvidence) return null
  const evidence = clamp((meanOf(stretches.map(classesIn)) - 1) / (fullEvidence - 1), 0, 1)
  const total = fits.reduce((sum, other) => sum + Math.exp(sharpness * evidence * (other - fit)), 0)
  return { name: best.name, fit, confidence: 1 / total }
}
