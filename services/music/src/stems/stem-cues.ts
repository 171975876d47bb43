import { setImmediate as nextTurn } from 'node:timers/promises'
import { medianAlongTime } from '../dsp/harmonic-percussive.ts'
import { oddTaps } from '../dsp/median-filter.ts'
import { repeatingBackground } from '../dsp/repeating-background.ts'
import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'
import { bassCloseness } from './bass-closeness.ts'
import { maskSettings } from './mask-settings.ts'
import { type Grid, percussiveMask } from './percussive-mask.ts'
import type { SegmentSpectra } from './segment-spectra.ts'
import type { SeparationOptions } from './separator.ts'
import { shareOf } from './share-of.ts'
import { trackVoice } from './voice-line.ts'

/** Cues of a bin: what tells which stem it belongs to. */
export const cueCount = 14

/** The cues of a segment, bin by bin. */
export type StemCues = {
  readonly frames: number
  readonly bins: number
  /** Writes the cues of all bins of a frame, `cueCount` each. */
  readFrame: (frame: number, target: Float32Array) => void
}

/** The place in the stereo image of each bin, averaged over frames by their power. */
const averagedCentre = ({ magnitudes, centre }: SegmentSpectra): Spectrogram => {
  const { frames, bins } = magnitudes
  const result = emptySpectrogram(frames, bins)
  const reach = maskSettings.centreFrames
  for (let frame = 0, at = 0; frame < frames; frame++) {
    const [first, last] = [Math.max(0, frame - reach), Math.min(frames - 1, frame + reach)]
    for (let bin = 0; bin < bins; bin++, at++) {
      let [sum, power] = [0, 1e-20]
      for (let other = first * bins + bin; other <= last * bins + bin; other += bins) {
        const weight = (magnitudes.values[other] ?? 0) ** 2
        sum += weight * (centre.values[other] ?? 0)
        power += weight
      }
      result.values[at] = sum / power
    }
  }
  return result
}

/** Whether the channels differ, so that the place in the stereo image says something. */
const isStereo = ({ magnitudes, centre }: SegmentSpectra): boolean => {
  let [apart, whole] = [0, 0]
  for (const [at, magnitude] of magnitudes.values.entries()) {
    apart += (1 - (centre.values[at] ?? 0)) * magnitude
    whole += magnitude
  }
  return apart > maskSettings.monoShare * whole
}

/** Lets the worker handle its messages, such as a cancellation. Throws the reason of the signal. */
export const pause = async (signal: AbortSignal): Promise<void> => {
  await nextTurn()
  signal.throwIfAborted()
}

/** Computes the cues of a segment: medians, what repeats, the pitches of bass and voice, and the stereo image. */
export const findStemCues = async (
  spectra: SegmentSpectra,
  grid: Grid,
  { signal, onProgress }: SeparationOptions,
): Promise<StemCues> => {
  const { magnitudes, centre } = spectra
  const { frames, bins } = magnitudes
  const { hits, sustained } = percussiveMask(magnitudes, grid)
  await pause(signal)
  onProgress(0.25)
  const background = await repeatingBackground(
    magnitudes,
    {
      neighbours: maskSettings.repetitions,
      apart: Math.max(1, Math.round(maskSettings.repetitionSeconds / grid.frameSeconds)),
    },
    () => pause(signal),
  )
  onProgress(0.6)
  const { bassHertz, bassHertzInMixture, noteSeconds } = maskSettings
  const bass = bassCloseness(background, hits, grid, bassHertz)
  await pause(signal)
  // A line that does not repeat is missing in the background.
  const bassInMixture = bassCloseness(magnitudes, hits, grid, bassHertzInMixture)
  await pause(signal)
  const notes = medianAlongTime(magnitudes, oddTaps(noteSeconds / grid.frameSeconds))
  await pause(signal)
  const voice = trackVoice({ magnitudes, hits, sustained, background, centre }, grid)
  await pause(signal)
  const averaged = averagedCentre(spectra)
  const stereo = isStereo(spectra) ? 1 : 0
  // About -1.5 to 1.7, in units of three octaves from 500 Hz.
  const heights = Float32Array.from({ length: bins }, (_, bin) => Math.log2((bin * grid.binHertz + 20) / 500) / 3)
  onProgress(0.8)
  return {
    frames,
    bins,
    readFrame(frame, target) {
      const voiced = voice.voiced(frame)
      for (let bin = 0, at = frame * bins, to = 0; bin < bins; bin++, at++) {
        const magnitude = magnitudes.values[at] ?? 0
        const foreground = 1 - shareOf(background.values[at] ?? 0, magnitude)
        const sung = voiced * voice.closeness(frame, bin * grid.binHertz)
        const middle = (averaged.values[at] ?? 0) ** 2
        const height = heights[bin] ?? 0
        target[to++] = hits.values[at] ?? 0
        target[to++] = shareOf(sustained.values[at] ?? 0, magnitude)
        target[to++] = shareOf(notes.values[at] ?? 0, magnitude)
        target[to++] = foreground
        target[to++] = middle
        target[to++] = middle ** 4
        target[to++] = bass.values[at] ?? 0
        target[to++] = bassInMixture.values[at] ?? 0
        target[to++] = sung
        target[to++] = voiced
        target[to++] = height
        target[to++] = height * height
        target[to++] = stereo
        target[to++] = 1
      }
    },
  }
}
