import { createRealFourier } from './real-fourier.ts'
import { parabolicOffset } from './statistics.ts'

/** Pitch and power of consecutive frames of a signal. */
export type Voicing = {
  /** Frames per second. */
  readonly rate: number
  /** Pitch in Hz; 0 where a frame has none. */
  readonly hertz: Float32Array
  /** Mean power of each frame under its window. */
  readonly power: Float32Array
}

/** Length of a frame, which is three periods of the lowest pitch, and the time between two (s). */
const frameSeconds = 0.046
const hopSeconds = 0.01
/** Pitches of voices, with those of children (Hz); a multiple of a period is a period, so higher ones are found octaves below. */
const lowestHertz = 65
const highestHertz = 500
/** Autocorrelation (of 1) from which a frame has a pitch. */
const minPeriodicity = 0.6
/** By how much the period of an octave below must be more exact to be preferred. */
const octaveCost = 0.04
/** Power below which a frame is silent. */
const silentPower = 1e-9

/**
 * Tracks the pitch of a voice that is alone: the autocorrelation of each frame over that of its window (Boersma 1993). Where several
 * sounds are audible simultaneously, there is none, or one of them.
 */
export const trackVoicing = (samples: Float32Array, sampleRate: number): Voicing => {
  const size = 2 ** Math.ceil(Math.log2(frameSeconds * sampleRate))
  const hop = Math.round(hopSeconds * sampleRate)
  const frames = Math.max(0, Math.floor((samples.length - size) / hop) + 1)
  const { bins, forward, inverse } = createRealFourier(2 * size)
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size))
  const frame = new Float64Array(2 * size)
  const [re, im, none] = [new Float64Array(bins), new Float64Array(bins), new Float64Array(bins)]
  /** Replaces a frame, padded by as many zeros, by its autocorrelation. */
  const correlate = () => {
    forward(frame, re, im)
    for (let bin = 0; bin < bins; bin++) re[bin] = (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2
    inverse(re, none, frame)
  }
  frame.set(window)
  correlate()
  const ofWindow = frame.slice(0, size).map((value, _, all) => value / (all[0] ?? 1))
  const [shortest, longest] = [Math.floor(sampleRate / highestHertz), Math.ceil(sampleRate / lowestHertz)]
  /** The period (samples) of the correlated frame; undefined if it has none. */
  const periodOf = (): number | undefined => {
    const at = (lag: number) => (frame[lag] ?? 0) / ((frame[0] ?? 1) * (ofWindow[lag] ?? 1))
    let [best, highest] = [0, Number.NEGATIVE_INFINITY]
    for (let lag = shortest; lag <= longest; lag++) {
      const here = at(lag)
      if (here < minPeriodicity || here < at(lag - 1) || here < at(lag + 1)) continue
      const score = here - octaveCost * Math.log2(lag)
      if (score > highest) [best, highest] = [lag, score]
    }
    return best > 0 ? best + parabolicOffset(at(best - 1), at(best), at(best + 1)) : undefined
  }
  const [hertz, power] = [new Float32Array(frames), new Float32Array(frames)]
  for (let index = 0; index < frames; index++) {
    frame.fill(0)
    for (let i = 0; i < size; i++) frame[i] = (samples[index * hop + i] ?? 0) * (window[i] ?? 0)
    correlate()
    power[index] = (frame[0] ?? 0) / size
    const period = (power[index] ?? 0) > silentPower ? periodOf() : undefined
    if (period !== undefined) hertz[index] = sampleRate / period
  }
  return { rate: sampleRate / hop, hertz, power }
}
