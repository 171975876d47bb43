import { beatNetworkWeights } from './beat-network-weights.ts'
import {
  addChannels,
  applyElu,
  type Channels,
  type Convolution,
  convolve,
  createChannels,
  padding,
} from './convolution.ts'

/** A residual block: its convolution is dilated, and a second one mixes the channels of each frame. */
type Block = { readonly conv: Convolution; readonly mix: Convolution }

const { channels, blocks: blockCount, weights, scales } = beatNetworkWeights
/** Values of each frame that the network reads, and computes. */
export const networkInputs = 80
export const networkOutputs = 3

/** Reads the convolutions in order: weights of 8 bits, with a scale per output, after its bias. */
const createReader = () => {
  const codes = new Int8Array(Buffer.from(weights, 'base64'))
  const { buffer } = new Uint8Array(Buffer.from(scales, 'base64'))
  const numbers = new Float32Array(buffer)
  let [code, number] = [0, 0]
  return (outputs: number, inputs: number, taps: number, dilation = 1): Convolution => {
    const size = inputs * taps
    const [first, start] = [code, number]
    code += outputs * size
    number += 2 * outputs
    return {
      inputs,
      outputs,
      taps,
      dilation,
      bias: numbers.slice(start, start + outputs),
      weights: Float32Array.from(
        { length: outputs * size },
        (_, i) => (codes[first + i] ?? 0) * (numbers[start + outputs + Math.floor(i / size)] ?? 0),
      ),
    }
  }
}

const read = createReader()
const front = [read(channels, networkInputs, 5), read(channels, channels, 3)] as const
const blocks: readonly Block[] = Array.from({ length: blockCount }, (_, i) => ({
  conv: read(channels, channels, 5, 2 ** i),
  mix: read(channels, channels, 1),
}))
const head = read(networkOutputs, channels, 1)

/** Frames on either side of one that its outputs depend on. */
export const networkReach = [...front, ...blocks.map(({ conv }) => conv)].reduce(
  (sum, { taps, dilation }) => sum + ((taps - 1) / 2) * dilation,
  0,
)

/**
 * A temporal convolutional network (Davies and Böck, "Temporal convolutional networks for musical audio beat tracking", 2019): two
 * convolutions, then residual blocks whose taps are further apart from block to block, so that each output depends on 12 s on either
 * side. `services/music/training` trains it. Computes the outputs (log odds) of some frames from their inputs; what lies before and
 * after them counts as zero in every layer.
 */
export const runBeatNetwork = (inputs: Channels, frames: number): Channels => {
  const [state, hidden, mixed] = [0, 1, 2].map(() => createChannels(channels, frames)) as [Channels, Channels, Channels]
  const output = createChannels(networkOutputs, frames)
  convolve(front[0], inputs, hidden, frames)
  applyElu(hidden)
  convolve(front[1], hidden, state, frames)
  applyElu(state)
  for (const { conv, mix } of blocks) {
    convolve(conv, state, hidden, frames)
    applyElu(hidden)
    convolve(mix, hidden, mixed, frames)
    addChannels(state, mixed)
  }
  applyElu(state)
  convolve(head, state, output, frames)
  return output.map((values) => values.subarray(padding, padding + frames))
}
