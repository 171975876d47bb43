import { emptySpectrogram, frameOf, type Spectrogram } from './spectrogram.ts'

/** Parameters of the search for similar frames. */
export type Similarity = {
  /** Maximum similar frames that a median is taken of. */
  readonly neighbours: number
  /** Minimum distance of two similar frames, so that they are separate repetitions. */
  readonly apart: number
}

/** Unit vectors of each frame's magnitudes in `bands` bands whose width grows with frequency. */
const fingerprints = (magnitudes: Spectrogram, bands: number): Float32Array => {
  const { frames, bins } = magnitudes
  const edges = Uint32Array.from({ length: bands + 1 }, (_, i) =>
    Math.round((bins * (2 ** ((5 * i) / bands) - 1)) / (2 ** 5 - 1)),
  )
  const vectors = new Float32Array(frames * bands)
  for (let frame = 0; frame < frames; frame++) {
    const row = frameOf(magnitudes, frame)
    let square = 0
    for (let band = 0; band < bands; band++) {
      const from = edges[band] ?? 0
      const to = Math.max(from + 1, edges[band + 1] ?? 0)
      let sum = 0
      for (let bin = from; bin < to; bin++) sum += row[bin] ?? 0
      const value = Math.sqrt(sum / (to - from))
      vectors[frame * bands + band] = value
      square += value * value
    }
    const scale = square > 0 ? 1 / Math.sqrt(square) : 0
    for (let at = frame * bands; at < (frame + 1) * bands; at++) vectors[at] = (vectors[at] ?? 0) * scale
  }
  return vectors
}

/** The most similar frames of one, best first, at least `apart` frames from each other; the frame itself is the first. */
const neighboursOf = (similarities: Float32Array, { neighbours, apart }: Similarity): number[] => {
  // Equal similarities are ordered by time, so that the result is determined.
  const order = Uint32Array.from(similarities.keys()).sort(
    (a, b) => (similarities[b] ?? 0) - (similarities[a] ?? 0) || a - b,
  )
  const blocked = new Uint8Array(similarities.length)
  const found: number[] = []
  for (const frame of order) {
    if (blocked[frame]) continue
    found.push(frame)
    if (found.length >= neighbours) break
    blocked.fill(1, Math.max(0, frame - apart + 1), frame + apart)
  }
  return found
}

/** Sorts the first `count` values: they are few, so by insertion. */
const sortFirst = (values: Float32Array, count: number): void => {
  for (let i = 1; i < count; i++) {
    const value = values[i] ?? 0
    let at = i
    while (at > 0 && (values[at - 1] ?? 0) > value) {
      values[at] = values[at - 1] ?? 0
      at--
    }
    values[at] = value
  }
}

const fingerprintBands = 96
/** Frames after which `pause` is awaited: some 100 ms. */
const framesPerPause = 100

/**
 * Magnitudes of what repeats (REPET-SIM, Rafii & Pardo, ISMIR 2012): the median over the most similar frames, never more than
 * the mixture. What does not repeat, such as a voice over an accompaniment, is missing. Awaits `pause` now and then, so that a
 * long computation can be cancelled.
 */
export const repeatingBackground = async (
  magnitudes: Spectrogram,
  similarity: Similarity,
  pause: () => Promise<void>,
): Promise<Spectrogram> => {
  const { frames, bins } = magnitudes
  const background = emptySpectrogram(frames, bins)
  const vectors = fingerprints(magnitudes, fingerprintBands)
  const similarities = new Float32Array(frames)
  const gathered = new Float32Array(similarity.neighbours)
  for (let frame = 0; frame < frames; frame++) {
    if (frame % framesPerPause === 0) await pause()
    const own = vectors.subarray(frame * fingerprintBands, (frame + 1) * fingerprintBands)
    for (let other = 0; other < frames; other++) {
      const start = other * fingerprintBands
      let sum = 0
      for (let band = 0; band < fingerprintBands; band++) sum += (own[band] ?? 0) * (vectors[start + band] ?? 0)
      similarities[other] = sum
    }
    const rows = neighboursOf(similarities, similarity).map((neighbour) => frameOf(magnitudes, neighbour))
    const source = frameOf(magnitudes, frame)
    const target = frameOf(background, frame)
    const count = rows.length
    for (let bin = 0; bin < bins; bin++) {
      for (let row = 0; row < count; row++) gathered[row] = rows[row]?.[bin] ?? 0
      sortFirst(gathered, count)
      const median = ((gathered[(count - 1) >> 1] ?? 0) + (gathered[count >> 1] ?? 0)) / 2
      target[bin] = count === 0 ? (source[bin] ?? 0) : Math.min(source[bin] ?? 0, median)
    }
  }
  return background
}
