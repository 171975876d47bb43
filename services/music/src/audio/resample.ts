/** Modified Bessel function of the first kind, order 0, by its power series. */
const besselI0 = (x: number): number => {
  let [sum, term] = [1, 1]
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/** Sinc zero crossings on each side, at the lower of the two rates: for listening, and for analysis at half the cost. */
const zeroCrossings = { listening: 16, analysis: 8 } as const

export type ResamplerUse = keyof typeof zeroCrossings
/** Kaiser window parameter: about -80 dB of stop band attenuation. */
const beta = 8
/** Share of the lower Nyquist frequency that passes unattenuated. */
const passBand = 0.93

type PolyphaseFilter = {
  readonly up: number
  readonly down: number
  readonly reach: number
  /** One row of 2 × reach taps per phase. */
  readonly taps: Float32Array
}

/** The filter between two rates, whole Hertz. */
export const designFilter = (from: number, to: number, use: ResamplerUse): PolyphaseFilter => {
  const divisor = greatestCommonDivisor(from, to)
  const [up, down] = [to / divisor, from / divisor]
  const cutoff = Math.min(1, to / from) * passBand
  const reach = Math.ceil(zeroCrossings[use] / cutoff)
  const taps = new Float32Array(up * 2 * reach)
  const scale = 1 / besselI0(beta)
  for (let phase = 0; phase < up; phase++) {
    for (let k = 0; k < 2 * reach; k++) {
      const distance = k - (reach - 1) - phase / up
      const edge = distance / reach
      if (Math.abs(edge) >= 1) continue
      const angle = Math.PI * cutoff * distance
      const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
      taps[phase * 2 * reach + k] = cutoff * sinc * besselI0(beta * Math.sqrt(1 - edge * edge)) * scale
    }
  }
  return { up, down, reach, taps }
}

/** A resampler that is fed piece by piece. */
export type Resampler = {
  push(samples: Float32Array): Float32Array
  /** The remaining output. The resampler must not be used afterwards. */
  flush(): Float32Array
}

/**
 * Resamples one channel with a Kaiser-windowed polyphase sinc, without delay: output sample n corresponds to the input time
 * n × from / to, and there are ceil(samples × to / from) of them. Rates are whole Hertz.
 */
export const createResampler = (from: number, to: number, use: ResamplerUse = 'listening'): Resampler =>
  resamplerBetween(from, to, use).create()

/** Creates resamplers between two rates that share one filter: `up` output samples correspond to `down` input samples. */
export const resamplerBetween = (from: number, to: number, use: ResamplerUse) => {
  const filter = designFilter(from, to, use)
  const create = (): Resampler =>
    from === to ? { push: (samples) => samples.slice(), flush: () => new Float32Array(0) } : resampleWith(filter)
  return { up: filter.up, down: filter.down, reach: filter.reach, create }
}

const resampleWith = ({ up, down, reach, taps }: PolyphaseFilter): Resampler => {
  // `held` begins at input index `heldFrom`; zeros precede the first sample.
  let held = new Float32Array(reach)
  let heldFrom = -reach
  let received = 0
  let produced = 0

  const produceUntil = (available: number, end: number): Float32Array => {
    // The end of the outputs that have all their input: their centres are at least `reach` before the end of it.
    const reached = Math.ceil(((available - reach) * up) / down)
    const count = Math.max(0, Math.min(end, reached) - produced)
    const out = new Float32Array(count)
    const length = 2 * reach
    // A local constant, which the loop below need not look up.
    const input = held
    for (let i = 0; i < count; i++, produced++) {
      const position = produced * down
      const row = (position % up) * length
      const first = Math.floor(position / up) - (reach - 1) - heldFrom
      let sum = 0
      for (let k = 0; k < length; k++) sum += (taps[row + k] ?? 0) * (input[first + k] ?? 0)
      out[i] = sum
    }
    const keepFrom = Math.max(heldFrom, Math.floor((produced * down) / up) - reach)
    held = held.slice(Math.min(held.length, keepFrom - heldFrom))
    heldFrom = keepFrom
    return out
  }
  const append = (samples: Float32Array) => {
    const next = new Float32Array(held.length + samples.length)
    next.set(held)
    next.set(samples, held.length)
    held = next
  }
  return {
    push(samples) {
      append(samples)
      received += samples.length
      return produceUntil(received, Number.POSITIVE_INFINITY)
    },
    flush() {
      append(new Float32Array(reach + 1))
      return produceUntil(received + reach + 1, Math.ceil((received * up) / down))
    },
  }
}

/** Resamples a whole channel. */
export const resample = (samples: Float32Array, from: number, to: number): Float32Array => {
  const resampler = createResampler(from, to)
  const [body, tail] = [resampler.push(samples), resampler.flush()]
  const joined = new Float32Array(body.length + tail.length)
  joined.set(body)
  joined.set(tail, body.length)
  return joined
}
