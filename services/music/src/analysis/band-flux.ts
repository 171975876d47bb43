import { createPowerSpectrum } from '../dsp/power-spectrum.ts'
import { analysisRate, HOP } from './spectral-frames.ts'

const window = 1024
/** Frames between the spectra that are compared: 23 ms. */
export const fluxLag = 2
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
  const hertzPerBin = analysisRate / window
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
 * frame; frame k is centred on sample `offset` + k × HOP. A band is compared with the loudest of itself and its two neighbours
 * before, so that vibrato is no onset (SuperFlux: Böck and Widmer, DAFx 2013).
 */
export const bandFlux = (signal: Float32Array, offset: number, frames: number): Float32Array => {
  const spectrum = createPowerSpectrum(window)
  const power = new Float32Array(spectrum.bins)
  const bands = createBands()
  const sizes = Array.from({ length: fluxGroups }, (_, group) => bands.filter((band) => band.group === group).length)
  const rows = Array.from({ length: fluxLag + 1 }, () => new Float32Array(bands.length))
  const flux = new Float32Array(frames * fluxGroups)
  // A full-scale sine has |X|² = (WINDOW / 4)² under a Hann window.
  const scale = 1 / (window / 4) ** 2
  for (let frame = -fluxLag; frame < frames; frame++) {
    spectrum.compute(signal, offset + frame * HOP - window / 2, power)
    const row = rows[(frame + fluxLag) % rows.length] ?? new Float32Array(bands.length)
    for (const [index, { first, last }] of bands.entries()) {
      let sum = 0
      for (let bin = first; bin <= last; bin++) sum += power[bin] ?? 0
      row[index] = 10 * Math.log10(sum * scale + softness)
    }
    if (frame < 0) continue
    const before = rows[frame % rows.length] ?? row
    for (const [index, { group }] of bands.entries()) {
      const here = before[index] ?? 0
      const reference = Math.max(before[index - 1] ?? here, here, before[index + 1] ?? here)
      const rise = (row[index] ?? 0) - reference
      const at = frame * fluxGroups + group
      if (rise > 0) flux[at] = (flux[at] ?? 0) + rise / (sizes[group] ?? 1)
    }
  }
  return flux
}
