import { bandIndex, type ChannelStream, intensityBooks, noiseBook, windows } from './channel-stream.ts'

/** Calls `visit` for each band of each window of a channel, with the range of its coefficients. */
const eachBand = (
  { info }: ChannelStream,
  visit: (band: number, from: number, to: number, window: number) => void,
): void => {
  const size = info.sequence === windows.short ? 128 : 1024
  let firstWindow = 0
  for (const [group, length] of info.groups.entries()) {
    for (let band = 0; band < info.maxBand; band++) {
      for (let window = firstWindow; window < firstWindow + length; window++) {
        const start = window * size
        visit(bandIndex(group, band), start + (info.offsets[band] ?? 0), start + (info.offsets[band + 1] ?? 0), window)
      }
    }
    firstWindow += length
  }
}

/** A generator of noise; its numbers are the same in each decoding of a file. */
export type Noise = { next(): number; state(): number; restore(state: number): void }

export const createNoise = (): Noise => {
  let state = 0x1f2e3d4c
  return {
    next: () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
      return state / 2 ** 31
    },
    state: () => state,
    restore: (earlier) => {
      state = earlier
    },
  }
}

const fillWithNoise = (
  stream: ChannelStream,
  noise: Noise,
  [band, from, to]: readonly [number, number, number],
): void => {
  const { spectrum, scales } = stream
  let energy = 0
  for (let at = from; at < to; at++) {
    const value = noise.next()
    spectrum[at] = value
    energy += value * value
  }
  const gain = 2 ** ((scales[band] ?? 0) / 4) / 32_768 / Math.sqrt(energy || 1)
  for (let at = from; at < to; at++) spectrum[at] = (spectrum[at] ?? 0) * gain
}

/** Replaces the bands that are coded as noise (ISO/IEC 14496-3, 4.6.13). */
export const substituteNoise = (stream: ChannelStream, noise: Noise): void =>
  eachBand(stream, (band, from, to) => {
    if (stream.books[band] === noiseBook) fillWithNoise(stream, noise, [band, from, to])
  })

/** Which bands of a pair are coded as sum and difference; `mode` is 0 for none, 1 for those of `used`, 2 for all. */
export type MidSide = { readonly mode: number; readonly used: Uint8Array }

/** Decodes the bands that a pair of channels shares: noise, sum and difference, intensity (4.6.8). */
export const joinPair = (left: ChannelStream, right: ChannelStream, midSide: MidSide, noise: Noise): void => {
  eachBand(left, (band, from, to) => {
    const [leftBook, rightBook] = [left.books[band] ?? 0, right.books[band] ?? 0]
    const isJoint = midSide.mode === 2 || (midSide.mode === 1 && midSide.used[band] === 1)
    const start = noise.state()
    if (leftBook === noiseBook) fillWithNoise(left, noise, [band, from, to])
    if (rightBook === noiseBook) {
      // In a joint band both channels have the same noise.
      if (isJoint && leftBook === noiseBook) noise.restore(start)
      fillWithNoise(right, noise, [band, from, to])
    } else if (rightBook >= intensityBooks.inverted) {
      const isInverted = (rightBook === intensityBooks.inverted) !== (midSide.mode === 1 && isJoint)
      const gain = (isInverted ? -1 : 1) * 0.5 ** ((right.scales[band] ?? 0) / 4)
      for (let at = from; at < to; at++) right.spectrum[at] = (left.spectrum[at] ?? 0) * gain
    } else if (isJoint && leftBook !== noiseBook) {
      for (let at = from; at < to; at++) {
        const [middle, side] = [left.spectrum[at] ?? 0, right.spectrum[at] ?? 0]
        left.spectrum[at] = middle + side
        right.spectrum[at] = middle - side
      }
    }
  })
}

/** Linear prediction coefficients of reflection coefficients, by the step-up recursion. */
const predictorOf = (reflections: readonly number[]): number[] => {
  let predictor: number[] = []
  for (const reflection of reflections) {
    const last = predictor
    predictor = last.map((value, i) => value + reflection * (last[last.length - 1 - i] ?? 0))
    predictor.push(reflection)
  }
  return predictor
}

/** Applies temporal noise shaping: all-pole filters along the frequencies (4.6.9). */
export const shapeNoise = ({ info, spectrum, filters }: ChannelStream): void => {
  const size = info.sequence === windows.short ? 128 : 1024
  const limit = Math.min(info.shapedBands, info.maxBand)
  for (const { window, topBand, bottomBand, isDownward, reflections } of filters) {
    const start = window * size + (info.offsets[Math.min(bottomBand, limit)] ?? 0)
    const end = window * size + (info.offsets[Math.min(topBand, limit)] ?? 0)
    const predictor = predictorOf(reflections)
    const step = isDownward ? -1 : 1
    const first = isDownward ? end - 1 : start
    for (let i = 0; i < end - start; i++) {
      const at = first + i * step
      let value = spectrum[at] ?? 0
      for (let k = 0; k < Math.min(i, predictor.length); k++)
        value -= (predictor[k] ?? 0) * (spectrum[at - (k + 1) * step] ?? 0)
      spectrum[at] = value
    }
  }
}
