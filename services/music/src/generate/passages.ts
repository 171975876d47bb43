import { BANDS, frameRate, type SpectralFrames } from '../analysis/spectral-frames.ts'
import { quantile } from '../dsp/statistics.ts'

/** Composition of a passage: spectra of 46 ms, centred this many hops (of 12 ms) from its position. */
const offsets = [-8, -2, 0, 2, 8] as const
/** Hops that a passage extends to each side. */
export const passageReach = 8
/** Positions closer than this are the same passage: half a second. */
const samePassageHops = 43
/** How far back passages are taken from (frames): 40 s represent the current music. */
const lookedBack = Math.round(40 * frameRate)
/** Maximum number of passages in the ranking, and minimum number of passages for it. */
const RANKED = 250
const fewest = 100

/** The sound around a frame: before it, after it, and across it, where a click would be audible. */
export const passageAt = (
  { levels, frames }: SpectralFrames,
  frame: number,
  floor = Number.NEGATIVE_INFINITY,
): Float32Array | undefined => {
  if (frame < passageReach || frame + passageReach >= frames) return undefined
  const passage = new Float32Array(offsets.length * BANDS)
  for (const [index, offset] of offsets.entries()) {
    for (let band = 0; band < BANDS; band++) {
      passage[index * BANDS + band] = Math.max(floor, levels[(frame + offset) * BANDS + band] ?? 0)
    }
  }
  return passage
}

/** Squared difference of two passages; stops once it exceeds `limit`. */
const difference = (a: Float32Array, b: Float32Array, limit: number): number => {
  let sum = 0
  for (let start = 0; start < a.length && sum < limit; start += BANDS) {
    for (let i = start; i < start + BANDS; i++) {
      const step = (a[i] ?? 0) - (b[i] ?? 0)
      sum += step * step
    }
  }
  return sum
}

/** The passages of a piece, for comparison with others. */
export type Passages = {
  /** How unlike a passage is to all of them (except those that overlap `frame`, if it is one of their own); only its rank is meaningful. */
  strangeness(passage: Float32Array, frame?: number): number
  /** The strangeness of the piece's own passages among the others, ascending. */
  ordinary(): readonly number[]
}

/** The passages of the last LOOKED_BACK frames of a piece up to `end`; undefined if there are too few to compare with. */
export const passagesOf = (spectral: SpectralFrames, end = spectral.frames): Passages | undefined => {
  const known: { frame: number; passage: Float32Array }[] = []
  for (let frame = Math.max(0, end - lookedBack); frame <= end - passageReach; frame++) {
    const passage = passageAt(spectral, frame)
    if (passage) known.push({ frame, passage })
  }
  if (known.length < fewest) return undefined
  const strangeness = (passage: Float32Array, frame = Number.NEGATIVE_INFINITY): number => {
    let nearest = Number.POSITIVE_INFINITY
    for (const other of known) {
      if (Math.abs(other.frame - frame) < samePassageHops) continue
      nearest = Math.min(nearest, difference(passage, other.passage, nearest))
    }
    return nearest
  }
  const stride = Math.max(1, Math.floor(known.length / RANKED))
  const sampled = known.filter((_, index) => index % stride === 0)
  let ranked: number[] | undefined
  return {
    strangeness,
    ordinary: () => {
      ranked ??= sampled.map(({ passage, frame }) => strangeness(passage, frame)).sort((a, b) => a - b)
      return ranked
    },
  }
}

/** The median strangeness of a piece's own passages, as a root: the unit for that of a single passage. */
export const ordinaryStrangeness = (passages: Passages): number => Math.sqrt(quantile(passages.ordinary(), 0.5)) || 1
