import { trackPitch } from '../dsp/pitch-track.ts'
import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'
import { clamp, quantile } from '../dsp/statistics.ts'
import { maskSettings } from './mask-settings.ts'
import type { Grid } from './percussive-mask.ts'
import { shareOf } from './share-of.ts'

/** What distinguishes a voice from its accompaniment, bin by bin. */
export type VoiceCues = {
  readonly magnitudes: Spectrogram
  readonly hits: Spectrogram
  readonly sustained: Spectrogram
  readonly background: Spectrogram
  readonly centre: Spectrogram
}

/** The pitch of a voice. */
export type VoiceLine = {
  /** How salient its pitch is in a frame, relative to the usual: 0 to 1.5. */
  voiced: (frame: number) => number
  /** How close a frequency is to one of its harmonics, 0 to 1. */
  closeness: (frame: number, hertz: number) => number
}

const unheard = 1e-20
/** Salience of a voice beyond this, relative to the usual, is no surer sign of it. */
const mostVoiced = 1.5

/** What is likely sung, compressed: in the centre, fluctuating, not repeating, not hit. */
const likelySung = (cues: VoiceCues, bins: number, binHertz: number): Spectrogram => {
  const { voiceUnsteadiness, voiceFloorHertz, voiceFloorWidth } = maskSettings
  const { frames, bins: all } = cues.magnitudes
  const result = emptySpectrogram(frames, bins)
  const floor = Float32Array.from({ length: bins }, (_, bin) =>
    clamp((bin * binHertz - voiceFloorHertz) / voiceFloorWidth, 0, 1),
  )
  for (let frame = 0, at = 0; frame < frames; frame++)
    for (let bin = 0; bin < bins; bin++, at++) {
      const from = frame * all + bin
      const magnitude = cues.magnitudes.values[from] ?? 0
      const fluctuates = 1 - voiceUnsteadiness * shareOf(cues.sustained.values[from] ?? 0, magnitude)
      const foreground = 1 - shareOf(cues.background.values[from] ?? 0, magnitude)
      const left = Math.sqrt(1 - (cues.hits.values[from] ?? 0))
      const centre = (cues.centre.values[from] ?? 0) ** 3
      result.values[at] = (floor[bin] ?? 0) * Math.sqrt(magnitude * fluctuates * foreground * left * centre)
    }
  return result
}

/** Tracks the pitch of the voice. */
export const trackVoice = (cues: VoiceCues, { frameSeconds, binHertz }: Grid): VoiceLine => {
  const { voiceHertz, voiceTopHertz, voiceWidthHertz, voiceWidthPerChange } = maskSettings
  const searched = Math.min(cues.magnitudes.bins, Math.ceil(voiceTopHertz / binHertz))
  const { hertz: pitches, salience } = trackPitch(likelySung(cues, searched, binHertz), {
    lowestHertz: voiceHertz[0],
    highestHertz: voiceHertz[1],
    binHertz,
    harmonics: 12,
    decay: 0.85,
    resolution: 36,
    changeCost: 3,
    maxChange: Math.ceil(12 * Math.max(1, frameSeconds / 0.0232)),
  })
  const usual = Math.max(unheard, quantile(salience, 0.7))
  return {
    voiced: (frame) => clamp((salience[frame] ?? 0) / usual, 0, mostVoiced),
    closeness: (frame, hertz) => {
      const pitch = pitches[frame] ?? 0
      const change = Math.abs((pitches[frame + 1] ?? pitch) - (pitches[frame - 1] ?? pitch)) / 2
      const harmonic = Math.max(1, Math.round(hertz / pitch))
      const width = voiceWidthHertz + voiceWidthPerChange * change * harmonic
      // Harmonics that are wider than their distance cannot be distinguished.
      if (width > pitch / 2) return 0.7
      const distance = (hertz - harmonic * pitch) / width
      return Math.exp(-0.5 * distance * distance)
    },
  }
}
