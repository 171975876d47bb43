import { analysisRate, type FrameMeter, fullScale, spectrumSize } from './spectral-frames.ts'

/** Frames between the spectra that are compared: 23 ms. */
const fluxLag = 2
const bandsPerOctave = 12
const lowestHertz = 40
const highestHertz = 10_000
/** Bounds (Hz) of the groups of bands: kick and bass, harmony, melody and snare, cymbals. */
const groupBounds = [160, 700, 3_000]
export const fluxGroups = groupBounds.length + 1
/** Power added to each band, relative to a full-scale sine: softer sound than -70 dB counts in proportion, not in decibels. */
const softness = 1e-7

type Band = { readonly first: number; readonly last: number; readonly group: number }

/** Bands of a twelfth of an octave, or of one bin of the transform where those are wider. */
const createBands = (): Band[] => {
  const hertzPerBin = analysisRate / spectrumSize
  const bands: Band[] = []
  let first = Math.ceil(lowestHertz / hertzPerBin)
  while (first * hertzPerBin < highestHertz) {
    const last = Math.max(first, Math.floor(first * 2 ** (1 / bandsPerOctave)) - 1)
    const hertz = ((first + last) / 2) * hertzPerBin
    bands.push({ first, last, group: groupBounds.filter((bound) => hertz >= bound).length })
    first = last + 1
  }
  return bands
}

/**
 * How much louder each group of bands becomes at each frame (dB, a mean over its bands), one row of FLUX_GROUPS values per
 * frame. A band is compared with the loudest of itself and its two neighbours before, so that vibrato is no onset (SuperFlux: Böck
 * and Widmer, DAFx 2013).
 */
export const createFluxMeter = (frames: number): FrameMeter & { readonly flux: Float32Array } => {
  const bands = createBands()
  const sizes = Array.from({ length: fluxGroups }, (_, group) => bands.filter((band) => band.group === group).length)
  const rows = Array.from({ length: fluxLag + 1 }, () => new Float32Array(bands.length))
  const flux = new Float32Array(frames * fluxGroups)
  return {
    lead: fluxLag,
    flux,
    observe(frame, power) {
      const row = rows[(frame + fluxLag) % rows.length] ?? new Float32Array(bands.length)
      for (const [index, { first, last }] of bands.entries()) {
        let sum = 0
        for (let bin = first; bin <= last; bin++) sum += power[bin] ?? 0
        row[index] = 10 * Math.log10(sum * fullScale + softness)
      }
      if (frame < 0) return
      const before = rows[frame % rows.length] ?? row
      for (const [index, { group }] of bands.entries()) {
        const here = before[index] ?? 0
        const reference = Math.max(before[index - 1] ?? here, here, before[index + 1] ?? here)
        const rise = (row[index] ?? 0) - reference
        const at = frame * fluxGroups + group
        if (rise > 0) flux[at] = (flux[at] ?? 0) + rise / (sizes[group] ?? 1)
      }
    },
  }
}
