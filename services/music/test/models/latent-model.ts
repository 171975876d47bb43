import { createOnnxGraph } from '@trellis/model-runtime/onnx-graph'
import { createRandom } from '../../src/dsp/random.ts'
import { normalNumbers } from '../../src/generate/model/sampling.ts'
import { analysed, type LearnedFrames, shape, synthesised } from './frame-codec.ts'
import { graphParts } from './graph-parts.ts'
import { type Matrix, ridgeRegression } from './linear-algebra.ts'

const { width } = shape
/** Frames on each side that a frame's estimate takes into account. */
const reach = 1
const seen = 2 * reach + 1
/** Times (1: pure noise) for which an estimator is trained; between them their estimates are mixed. */
const times = [0.1, 0.4, 0.7, 1]
/** Share of what is alike in the context, against what music in general is like. */
const fromContext = 0.95

/** For each time, the linear estimate of a clean frame from noisy frames around it, learned from music with noise added. */
const learnEstimators = (pieces: readonly (readonly Float64Array[])[]): Matrix[] =>
  times.map((time, index) => {
    const random = createRandom(200 + index)
    function* pairs() {
      for (const piece of pieces) {
        const noisy = piece.map((frame) => {
          const noise = normalNumbers(random, width)
          return frame.map((value, i) => (1 - time) * value + time * (noise[i] ?? 0))
        })
        for (let at = reach; at < piece.length - reach; at++)
          yield {
            input: noisy.slice(at - reach, at + reach + 1).flatMap((frame) => [...frame]),
            target: piece[at] ?? [],
          }
      }
    }
    return ridgeRegression(pairs(), { inputs: seen * width, targets: width, penalty: 1e-3 })
  })

/** A filter that puts the frames around each frame beside it. */
const neighbours = (): Float32Array => {
  const filter = new Float32Array(seen * width * width * seen)
  for (let offset = 0; offset < seen; offset++)
    for (let row = 0; row < width; row++) filter[((offset * width + row) * width + row) * seen + offset] = 1
  return filter
}

const around = { kernel_shape: [seen], pads: [reach, reach] }

/**
 * Estimates the clean stretch as the mean of what it may have been: frames of the context, each as likely as its noisy
 * neighbourhood makes it, mixed with the linear estimate. Returns the velocity, as rectified flows do.
 */
const networkOf = (estimators: readonly Matrix[]) => {
  const graph = createOnnxGraph('denoiser')
  const parts = graphParts(graph)
  const { add, subtract, multiply, divide, product, turned, scalar, summed, table } = parts
  const noisy = graph.input('sample', 'float', [1, width, 'frames'])
  const time = graph.input('timestep', 'float', [1])
  const known = graph.input('known', 'float', [1, width, 'frames'])
  const mask = graph.input('known_mask', 'float', [1, 1, 'frames'])
  const signal = subtract(scalar(1), time)
  const beside = table([seen * width, width, seen], neighbours())
  const queries = graph.node('Conv', [noisy, beside], around)
  const keys = multiply(signal, graph.node('Conv', [known, beside], around))
  const likeness = subtract(
    multiply(scalar(2), product(turned(queries, [0, 2, 1]), keys)),
    summed(multiply(keys, keys), 1),
  )
  const power = add(multiply(time, time), scalar(0.002))
  const unknown = multiply(subtract(mask, scalar(1)), scalar(1e6))
  const scores = add(divide(likeness, multiply(scalar(2), power)), unknown)
  const attended = product(graph.node('Softmax', [scores], { axis: 2 }), turned(known, [0, 2, 1]))
  const estimates = estimators.map((estimator, index) => {
    // [outputs, inputs, offsets] of rows that list the inputs of each offset in turn.
    const filter = new Float32Array(width * width * seen)
    for (const [row, values] of estimator.entries())
      for (let offset = 0; offset < seen; offset++)
        for (let column = 0; column < width; column++)
          filter[(row * width + column) * seen + offset] = values[offset * width + column] ?? 0
    const estimate = graph.node('Conv', [noisy, table([width, width, seen], filter)], around)
    const distance = graph.node('Abs', [subtract(time, scalar(times[index] ?? 0))])
    const share = graph.node('Relu', [subtract(scalar(1), divide(distance, scalar(0.3)))])
    return multiply(share, estimate)
  })
  const linear = estimates.reduce(add)
  const clean = add(
    multiply(scalar(fromContext), turned(attended, [0, 2, 1])),
    multiply(scalar(1 - fromContext), linear),
  )
  graph.output(divide(subtract(noisy, clean), add(time, scalar(1e-4))), 'velocity', [1, width, 'frames'])
  return graph.finish()
}

const manifest = {
  kind: 'latent',
  name: 'Small model of latents',
  sample_rate: shape.rate,
  channels: 1,
  hop: shape.hop,
  window_seconds: 12,
  context_seconds: 8,
  files: { encoder: 'encoder.onnx', decoder: 'decoder.onnx', network: 'denoiser.onnx' },
  latent_channels: width,
  scheduler: { type: 'rectified_flow', steps: 12 },
}

/** The files of a model of latents. */
export const latentModel = (learned: LearnedFrames): Record<string, Uint8Array | string> => {
  // All numbers of a frame have the deviation 1, as the noise has.
  const deviations = learned.deviations.map((deviation) => Math.max(deviation, 1e-4))
  const scales = deviations.map((deviation) => 1 / deviation)
  const frames = learned.frames.map((piece) => piece.map((frame) => frame.map((value, i) => value * (scales[i] ?? 1))))
  const encoder = createOnnxGraph('encoder')
  const audio = encoder.input('audio', 'float', [1, 1, 'samples'])
  encoder.output(analysed(encoder, audio, learned, scales), 'latents', [1, width, 'frames'])
  const decoder = createOnnxGraph('decoder')
  const latents = decoder.input('latents', 'float', [1, width, 'frames'])
  decoder.output(synthesised(decoder, latents, learned, deviations), 'audio', [1, 1, 'samples'])
  return {
    'model.json': JSON.stringify(manifest, null, 2),
    'encoder.onnx': encoder.finish(),
    'decoder.onnx': decoder.finish(),
    'denoiser.onnx': networkOf(learnEstimators(frames)),
  }
}
