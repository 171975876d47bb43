import { trackPitch } from '../dsp/pitch-track.ts'
import { emptySpectrogram, type Spectrogram } from '../dsp/spectrogram.ts'
import { clamp, quantile } from '../dsp/statistics.ts'
import { maskSettings } from './mask-settings.ts'
import type { Grid } from './percussive-mask.ts'

/** What distinguishes a voice from its accompaniment, bin by bin. */
export type VoiceCues = {
  readonly magnitudes: Spectrogram
  readonly hits: Spectrogram
  readonly sustained: Spectrogram
  readonly bass: Spectrogram
  readonly background: Spectrogram
  readonly centre: Spectrogram
}

const unheard = 1e-20
/** Width (Hz) over which the voice begins. */
const floorWidth = 60

const shareOf = (part: number, whole: number): number => clamp(part / (whole + unheard), 0, 1)

/** What is likely sung, compressed: in the centre, fluctuating, not repeating, neither hit nor bass. */
const likelySung = (cues: VoiceCues, bins: number, binHertz: number): Spectrogram => {
  const { unsteadyWhenTracked: unsteady, centreExponent, voiceFloorHertz } = maskSettings
  const { frames, bins: all } = cues.magnitudes
  const result = emptySpectrogram(frames, bins)
  const floor = Float32Array.from({ length: bins }, (_, bin) =>
    clamp((bin * binHertz - voiceFloorHertz - 10) / floorWidth, 0, 1),
  )
  for (let frame = 0, at = 0; frame < frames; frame++)
    for (let bin = 0; bin < bins; bin++, at++) {
      const from = frame * all + bin
      const magnitude = cues.magnitudes.values[from] ?? 0
      const fluctuates = 1 - unsteady * shareOf(cues.sustained.values[from] ?? 0, magnitude)
      const foreground = 1 - shareOf(cues.background.values[from] ?? 0, magnitude)
      const left = Math.sqrt(1 - (cues.hits.values[from] ?? 0)) * (1 - (cues.bass.values[from] ?? 0))
      const centre = (cues.centre.values[from] ?? 0) ** (centreExponent / 2)
      result.values[at] = (floor[bin] ?? 0) * Math.sqrt(magnitude * fluctuates * foreground * left * centre)
    }
  return result
}

/** The share of what is neither hit nor bass that belongs to the voice: harmonics of its pitch, and what does not repeat. */
export const voiceMask = (cues: VoiceCues, { frameSeconds, binHertz }: Grid): Spectrogram => {
  const { voiceHertz, voiceTopHertz, voiceFloorHertz, centreExponent, voicedFrom, voicedTo } = maskSettings
  const { voiceWidthHertz, voiceWidthPerChange, unsteadyInMask } = maskSettings
  const { harmonicShare, harmonicForeground, foregroundShare } = maskSettings
  const { frames, bins } = cues.magnitudes
  const searched = Math.min(bins, Math.ceil(voiceTopHertz / binHertz))
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
  const mask = emptySpectrogram(frames, bins)
  for (let frame = 0, at = 0; frame < frames; frame++) {
    const pitch = pitches[frame] ?? 0
    const change = Math.abs((pitches[frame + 1] ?? pitch) - (pitches[frame - 1] ?? pitch)) / 2
    const voiced = clamp(((salience[frame] ?? 0) / usual - voicedFrom) / (voicedTo - voicedFrom), 0, 1)
    for (let bin = 0; bin < bins; bin++, at++) {
      const hertz = bin * binHertz
      if (hertz <= voiceFloorHertz) continue
      const harmonic = Math.max(1, Math.round(hertz / pitch))
      const width = voiceWidthHertz + voiceWidthPerChange * change * harmonic
      const distance = (hertz - harmonic * pitch) / width
      // Harmonics that are wider than their distance cannot be distinguished.
      const near = width > pitch / 2 ? 0.7 : Math.exp(-0.5 * distance * distance)
      const magnitude = cues.magnitudes.values[at] ?? 0
      const foreground = 1 - shareOf(cues.background.values[at] ?? 0, magnitude)
      const fluctuates = 1 - unsteadyInMask * shareOf(cues.sustained.values[at] ?? 0, magnitude)
      const sung = voiced * near * harmonicShare * (1 - harmonicForeground + harmonicForeground * foreground)
      mask.values[at] =
        clamp((hertz - voiceFloorHertz) / floorWidth, 0, 1) *
        (cues.centre.values[at] ?? 0) ** centreExponent *
        clamp(fluctuates * sung + foregroundShare * foreground, 0, 1)
    }
  }
  return mask
}
