/** A matrix of non-negative values: one row of `bins` values per frame. */
export type Spectrogram = {
  readonly frames: number
  readonly bins: number
  readonly values: Float32Array
}

export const emptySpectrogram = (frames: number, bins: number): Spectrogram => ({
  frames,
  bins,
  values: new Float32Array(frames * bins),
})

/** One frame, without copying. */
export const frameOf = ({ bins, values }: Spectrogram, frame: number): Float32Array =>
  values.subarray(frame * bins, (frame + 1) * bins)
