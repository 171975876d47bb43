import { fluxGroups } from './band-flux.ts'
import { networkInputs, networkOutputs, networkReach, runBeatNetwork } from './beat-network.ts'
import { type ChromaFrames, chromaHop } from './chroma.ts'
import { type Channels, createChannels, padding } from './convolution.ts'
import { BANDS, cutFrames, dynamicRangeDb, HOP, type SpectralFrames } from './spectral-frames.ts'

/** Log odds at each frame, by all within 12 s of it. */
export type BeatOdds = {
  readonly frames: number
  /** Of a beat. */
  readonly beat: Float32Array
  /** Of the first beat of a bar. */
  readonly downbeat: Float32Array
  /** Of beats that are divided in three. */
  readonly ternary: Float32Array
}

/** What is measured of a piece. */
export type Measured = {
  readonly spectral: SpectralFrames
  readonly flux: Float32Array
  readonly chroma: ChromaFrames
}

/** Frames between levels whose rise is an input. */
const riseLag = 2
/** The first channel of each kind of input, after the levels. */
const risesFrom = BANDS
const fluxFrom = 2 * BANDS
const chromaFrom = fluxFrom + fluxGroups
/** Factors that bring inputs to the order of 1. */
const scale = { rise: 5 / dynamicRangeDb, flux: 1 / 3, chroma: 3 }

/** The inputs of the network for the frames from `start` to `end`. */
export const inputsOf = ({ spectral, flux, chroma }: Measured, start: number, end: number): Channels => {
  const { frames, levels, floor } = spectral
  const channels = createChannels(networkInputs, end - start)
  const put = (channel: number, frame: number, value: number) => {
    ;(channels[channel] as Float32Array)[padding + frame - start] = value
  }
  for (let frame = start; frame < end; frame++) {
    // Where a piece is cut off, rises would show a false attack.
    const isWhole = frame < frames - cutFrames
    for (let band = 0; band < BANDS; band++) {
      const level = levels[frame * BANDS + band] ?? floor
      put(band, frame, (level - floor) / dynamicRangeDb)
      const rise = level - (levels[(frame - riseLag) * BANDS + band] ?? level)
      if (isWhole && rise > 0) put(risesFrom + band, frame, rise * scale.rise)
    }
    for (let group = 0; isWhole && group < fluxGroups; group++)
      put(fluxFrom + group, frame, Math.sqrt(flux[frame * fluxGroups + group] ?? 0) * scale.flux)
    const at = Math.min(chroma.frames - 1, (frame * HOP) / chromaHop)
    const [below, above] = [Math.floor(at), Math.min(chroma.frames - 1, Math.floor(at) + 1)]
    const share = at - below
    const noteAt = (note: number) =>
      (chroma.values[below * 12 + note] ?? 0) * (1 - share) + (chroma.values[above * 12 + note] ?? 0) * share
    let sum = 0
    for (let note = 0; note < 12; note++) sum += noteAt(note)
    for (let note = 0; sum > 0 && note < 12; note++) put(chromaFrom + note, frame, (noteAt(note) / sum) * scale.chroma)
  }
  return channels
}

/** Frames computed at once, 95 s: memory does not grow with the piece. */
const usualFrames = 8_192

/** Computes the log odds of beats, bars and their divisions. */
export const beatOddsOf = (measured: Measured, framesAtOnce = usualFrames): BeatOdds => {
  const { frames } = measured.spectral
  const found = Array.from({ length: networkOutputs }, () => new Float32Array(frames))
  for (let from = 0; from < frames; from += framesAtOnce) {
    const to = Math.min(frames, from + framesAtOnce)
    const [start, end] = [Math.max(0, from - networkReach), Math.min(frames, to + networkReach)]
    const outputs = runBeatNetwork(inputsOf(measured, start, end), end - start)
    for (const [i, values] of outputs.entries()) found[i]?.set(values.subarray(from - start, to - start), from)
  }
  const [beat, downbeat, ternary] = found as [Float32Array, Float32Array, Float32Array]
  return { frames, beat, downbeat, ternary }
}
