/** A dilated convolution over time: each output channel is a weighted sum of some frames of all input channels, and a bias. */
export type Convolution = {
  readonly inputs: number
  readonly outputs: number
  /** An odd number of frames, centred on that of the output. */
  readonly taps: number
  /** Frames from one tap to the next. */
  readonly dilation: number
  /** For each output, for each input, one per tap. */
  readonly weights: Float32Array
  readonly bias: Float32Array
}

/** One array per channel, with `padding` zeros before and after its frames. */
export type Channels = readonly Float32Array[]

/** The furthest that a tap may be from its output, in frames: so far, frames beyond either end are read, which are zero. */
export const padding = 512

export const createChannels = (count: number, frames: number): Channels =>
  Array.from({ length: count }, () => new Float32Array(frames + 2 * padding))

/** Frames computed at once: what they need of all channels fits into the processor's cache. */
const block = 2048

/** Adds what one input contributes to one output: `weights` from `at` on, one per tap. */
const addInput = (
  { taps, dilation, weights }: Convolution,
  at: number,
  input: Float32Array,
  output: Float32Array,
  [from, to]: readonly [number, number],
): void => {
  // Five taps at once read and write each output once instead of five times.
  if (taps === 5) {
    const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((tap) => weights[at + tap] ?? 0) as [
      number,
      number,
      number,
      number,
      number,
    ]
    const wide = 2 * dilation
    for (let i = from; i < to; i++)
      output[i] =
        (output[i] as number) +
        a * (input[i - wide] as number) +
        b * (input[i - dilation] as number) +
        c * (input[i] as number) +
        d * (input[i + dilation] as number) +
        e * (input[i + wide] as number)
    return
  }
  for (let tap = 0; tap < taps; tap++) {
    const weight = weights[at + tap] ?? 0
    const shift = (tap - (taps - 1) / 2) * dilation
    for (let i = from; i < to; i++) output[i] = (output[i] as number) + weight * (input[i + shift] as number)
  }
}

/** Computes the first `frames` frames of all output channels. */
export const convolve = (convolution: Convolution, source: Channels, target: Channels, frames: number): void => {
  const { inputs, taps, bias } = convolution
  for (let from = padding; from < padding + frames; from += block) {
    const range = [from, Math.min(padding + frames, from + block)] as const
    for (const [output, values] of target.entries()) {
      values.fill(bias[output] ?? 0, ...range)
      for (const [input, read] of source.entries())
        addInput(convolution, (output * inputs + input) * taps, read, values, range)
    }
  }
}

/** The exponential linear unit (Clevert, Unterthiner and Hochreiter 2016), in place. */
export const applyElu = (channels: Channels): void => {
  for (const values of channels)
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number
      if (value < 0) values[i] = Math.expm1(value)
    }
}

/** Adds channels to others, in place. */
export const addChannels = (target: Channels, added: Channels): void => {
  for (const [channel, values] of target.entries()) {
    const others = added[channel] as Float32Array
    for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) + (others[i] as number)
  }
}
