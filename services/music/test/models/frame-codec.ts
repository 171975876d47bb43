import type { OnnxGraph } from '@trellis/model-runtime/onnx-graph'
import { monoOf } from '../../src/audio/pcm.ts'
import { playBand } from '../band.ts'
import { principalComponents } from './linear-algebra.ts'

/** Rate of the small models, samples of a frame (50 frames per second, as EnCodec has), and numbers of a frame. */
export const shape = { rate: 16_000, hop: 320, width: 48 } as const

/**
 * The modified discrete cosine transform with a sine window: two hops of samples become one hop of numbers, and overlapping
 * results add up to the samples again (Princen and Bradley, 1986).
 */
const cosines = (hop: number): Float64Array[] =>
  Array.from({ length: hop }, (_, k) =>
    Float64Array.from(
      { length: 2 * hop },
      (__, n) =>
        Math.sin((Math.PI * (n + 0.5)) / (2 * hop)) *
        Math.sqrt(2 / hop) *
        Math.cos((Math.PI / hop) * (n + 0.5 + hop / 2) * (k + 0.5)),
    ),
  )

/** Factors by which high frequencies are emphasised before anything is learned: music has little power there, but listeners notice it. */
const emphasis = Float64Array.from({ length: shape.hop }, (_, k) => 1 + k / 10)

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** Each frame's samples begin half a hop before it, and silence is around the piece. */
const stretchesOf = (samples: Float32Array): Float32Array[] =>
  Array.from({ length: Math.floor(samples.length / shape.hop) }, (_, frame) => {
    const stretch = new Float32Array(2 * shape.hop)
    const start = frame * shape.hop - shape.hop / 2
    const from = Math.max(0, start)
    stretch.set(samples.subarray(from, start + 2 * shape.hop), from - start)
    return stretch
  })

/** Pieces that the models learn from, none of which a test continues. */
const scores = [
  { bpm: 96, tonic: 57, mode: 'minor', drums: true },
  { bpm: 120, tonic: 60, mode: 'major', drums: true },
  { bpm: 132, tonic: 64, mode: 'minor', drums: false },
  { bpm: 108, tonic: 67, mode: 'major', drums: true },
  { bpm: 144, tonic: 62, mode: 'minor', drums: true },
] as const

const trainingPieces = (): Float32Array[] =>
  scores.map((score, index) =>
    monoOf(playBand({ ...score, bars: 6, seed: 100 + index, channels: 1, sampleRate: shape.rate }).block),
  )

/** What the models of both kinds have learned in common: what music of our own consists of, frame by frame. */
export const learnFrames = () => {
  const { hop, width } = shape
  const basis = cosines(hop)
  const pieces = trainingPieces().map((piece) =>
    stretchesOf(piece).map((stretch) => Float64Array.from(basis, (row, k) => (emphasis[k] ?? 1) * dot(row, stretch))),
  )
  const { directions, deviations } = principalComponents(pieces.flat(), width)
  const frames = pieces.map((piece) => piece.map((row) => Float64Array.from(directions, (one) => dot(one, row))))
  /** One filter per number of a frame: those that analyse emphasise, those that synthesise undo that. */
  const filtersOf = (gain: (k: number) => number) =>
    directions.map((direction) => {
      const filter = new Float64Array(2 * hop)
      for (const [k, row] of basis.entries())
        for (let n = 0; n < filter.length; n++)
          filter[n] = (filter[n] ?? 0) + gain(k) * (direction[k] ?? 0) * (row[n] ?? 0)
      return filter
    })
  const analysis = filtersOf((k) => emphasis[k] ?? 1)
  const synthesis = filtersOf((k) => 1 / (emphasis[k] ?? 1))
  return { frames, analysis, synthesis, directions, deviations }
}

export type LearnedFrames = ReturnType<typeof learnFrames>

const kernel = (filters: readonly Float64Array[], scales: readonly number[]): Float32Array =>
  Float32Array.from(filters.flatMap((filter, index) => Array.from(filter, (value) => value * (scales[index] ?? 1))))

const layout = { kernel_shape: [2 * shape.hop], strides: [shape.hop], pads: [shape.hop / 2, shape.hop / 2] }

/** Analyses audio [1, 1, samples] as frames [1, width, frames], each number scaled. */
export const analysed = (graph: OnnxGraph, audio: string, { analysis }: LearnedFrames, scales: readonly number[]) =>
  graph.node(
    'Conv',
    [audio, graph.weights('analysis', { shape: [analysis.length, 1, 2 * shape.hop], data: kernel(analysis, scales) })],
    layout,
  )

/** Synthesises audio [1, 1, samples] from frames [1, width, frames], each number scaled. */
export const synthesised = (
  graph: OnnxGraph,
  frames: string,
  { synthesis }: LearnedFrames,
  scales: readonly number[],
) =>
  graph.node(
    'ConvTranspose',
    [
      frames,
      graph.weights('synthesis', { shape: [synthesis.length, 1, 2 * shape.hop], data: kernel(synthesis, scales) }),
    ],
    layout,
  )
