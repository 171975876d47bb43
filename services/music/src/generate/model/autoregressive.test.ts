import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOnnxGraph, type OnnxGraph } from '@trellis/model-runtime/onnx-graph'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { graphParts, toEnd } from '../../../test/models/graph-parts.ts'
import { createRandom } from '../../dsp/random.ts'
import { loadRuntime } from '../../onnx/runtime.ts'
import { createAutoregressive } from './autoregressive.ts'
import type { AutoregressiveManifest } from './manifest.ts'
import { floatsOf, openNetwork } from './network.ts'

const size = 16

/** Logits [rows, 1, size] that leave no choice but the code `number` (a whole number of one dimension), for two codebooks. */
const certain = (graph: OnnxGraph, parts: ReturnType<typeof graphParts>, number: string): string => {
  const wrapped = graph.node('Mod', [number, parts.integers(size)])
  const values = graph.weights('off_on', { shape: [2], data: Float32Array.of(-100, 0) })
  const row = graph.node('OneHot', [wrapped, parts.integers(size), values], { axis: -1 })
  return parts.joined([parts.wide(row, 0), parts.wide(row, 0)], 0)
}

/** A network without a cache: the code of each column is the number of columns before it. */
const countingNetwork = () => {
  const graph = createOnnxGraph('counting')
  const parts = graphParts(graph)
  const tokens = graph.input('input_ids', 'int64', [2, 'columns'])
  graph.output(certain(graph, parts, parts.sliced(graph.node('Shape', [tokens]), 1, 2, 0)), 'logits', [2, 1, size])
  return graph.finish()
}

/**
 * The same by a cache that grows by the columns of each step. The cached text is computed in the first step only, as in exports
 * of MusicGen: if anything else comes back later, the code is off by five.
 */
const cachedNetwork = () => {
  const graph = createOnnxGraph('cached')
  const parts = graphParts(graph)
  const { sliced, reshaped, float, joined, multiply, add, scalar, integers } = parts
  const tokens = graph.input('decoder_input_ids', 'int64', [2, 'columns'])
  const text = graph.input('encoder_hidden_states', 'float', [1, 'words', 1])
  graph.input('encoder_attention_mask', 'int64', [1, 'words'])
  const isLater = float(graph.input('use_cache_branch', 'bool', [1]))
  const past = graph.input('past_key_values.0.decoder.key', 'float', [1, 1, 'past', 1])
  const pastText = graph.input('past_key_values.0.encoder.key', 'float', [1, 1, 'words_before', 1])
  const keys = joined([past, reshaped(float(sliced(tokens, 0, 1, 0)), 1, 1, -1, 1)], 2)
  const isFirst = graph.node('Sub', [scalar(1), isLater])
  const ofText = multiply(reshaped(text, 1, 1, -1, 1), isFirst)
  const total = (values: string) => graph.node('ReduceSum', [values], { keepdims: 0 })
  const seen = add(total(pastText), total(ofText))
  const isWrong = graph.node('Cast', [graph.node('Not', [graph.node('Equal', [seen, scalar(7)])])], { to: 7 })
  const count = sliced(graph.node('Shape', [keys]), 2, 3, 0)
  const number = add(count, multiply(isWrong, integers(5)))
  graph.output(certain(graph, parts, number), 'logits', [2, 1, size])
  graph.output(keys, 'present.0.decoder.key', [1, 1, 'total', 1])
  graph.output(ofText, 'present.0.encoder.key', [1, 1, 'words', 1])
  return graph.finish()
}

const manifestOf = (delays: number[]): AutoregressiveManifest => ({
  kind: 'autoregressive',
  sample_rate: 16_000,
  channels: 1,
  hop: 320,
  window_seconds: 10,
  max_seconds: 60,
  names: {},
  files: { encoder: 'a', decoder: 'b', network: 'c' },
  codebooks: 2,
  codebook_size: size,
  delays,
  temperature: 1,
  top_k: size,
})

const network = async (folder: string, content: Uint8Array) => {
  const path = join(folder, 'network.onnx')
  await writeFile(path, content)
  return openNetwork(await loadRuntime('MUSIC_MODEL'), path, 'cpu')
}

describe.each([
  ['without a cache', countingNetwork],
  ['with cached keys and values, those of the text from the first step', cachedNetwork],
])('an autoregressive network %s', (_, content) => {
  test.each([[[0, 0]], [[0, 1]], [[1, 3]]])('fills the columns of codebooks that are delayed by %j', async (delays) => {
    await using directory = await temporaryDirectory()
    const opened = await network(directory.path, content())
    const sequence = createAutoregressive(manifestOf(delays), opened)
    const known = [new Float32Array(6).fill(3), new Float32Array(6).fill(4)]
    const steps: number[] = []
    const added = await sequence.extend(known, {
      count: 20,
      text: { states: Float32Array.of(3, 4), mask: Float32Array.of(1, 1), width: 1 },
      random: createRandom(1),
      onStep: (step) => steps.push(step),
    })
    const expected = delays.map((delay) =>
      Float32Array.from({ length: 20 }, (__, frame) => (6 + frame + 1 + delay) % size),
    )
    expect(added).toEqual(expected)
    expect(steps).toEqual(Array.from({ length: 20 + Math.max(...delays) - Math.min(...delays) }, (__, step) => step))
    await opened.release()
  })
})

/** A network that draws columns in a loop of its own: each code is as far up as its random number, unless its token is forced. */
const loopNetwork = () => {
  const graph = createOnnxGraph('loop')
  const parts = graphParts(graph)
  graph.input('tokens', 'int64', [2, 'columns'])
  graph.input('noise', 'float', [2, 'steps'])
  graph.input('forced_tokens', 'int64', [2, 'steps'])
  const steps = parts.narrow(parts.sliced(graph.node('Shape', ['noise']), 1, 2, 0), 0)
  const [zero, codes] = [parts.integers(0), parts.scalar(size)]
  const body = createOnnxGraph('body', 'body_')
  const step = body.input('step', 'int64', [])
  body.output(body.input('goes_on', 'bool', []), 'still_goes_on', [], 'bool')
  const at = (values: string) => body.node('Gather', [values, step], { axis: 1 })
  const drawn = body.node('Cast', [body.node('Floor', [body.node('Mul', [at('noise'), codes])])], { to: 7 })
  const forced = at('forced_tokens')
  const isFree = body.node('Less', [forced, zero])
  body.output(body.node('Where', [isFree, drawn, forced]), 'column', [2], 'int64')
  const columns = graph.node('Loop', [steps, ''], { body: { graph: body } })
  graph.output(parts.turned(columns, [1, 0]), 'drawn_tokens', [2, 'steps'], 'int64')
  return graph.finish()
}

test.each([1, 7, 50])(
  'a network draws %i columns at a time in a loop of its own, by random numbers of the seed',
  async (steps) => {
    await using directory = await temporaryDirectory()
    const opened = await network(directory.path, loopNetwork())
    const sequence = createAutoregressive({ ...manifestOf([0, 2]), steps_per_call: steps }, opened)
    const random = createRandom(5)
    const calls: number[] = []
    const extend = { count: 20, text: undefined, random, onStep: (step: number) => calls.push(step) }
    const added = await sequence.extend([new Float32Array(6), new Float32Array(6)], extend)
    // In the order of the columns: codebook 1 is two behind, and its first two columns are known.
    const numbers = createRandom(5)
    const expected = [new Float32Array(20), new Float32Array(20)]
    for (let column = 0; column < 22; column++)
      for (const [codebook, frame] of [column, column - 2].entries())
        if (frame >= 0 && frame < 20) expected[codebook]?.fill(Math.floor(numbers.next() * size), frame, frame + 1)
    expect(added).toEqual(expected)
    expect(calls).toEqual(Array.from({ length: Math.ceil(22 / steps) }, (_, call) => call * steps))
    await opened.release()
  },
)

test('networks of 16-bit floats receive and return them', async () => {
  await using directory = await temporaryDirectory()
  const graph = createOnnxGraph('half')
  const input = graph.input('x', 'float16', [1, 'length'])
  const { multiply, scalar, float, sliced } = graphParts(graph)
  const doubled = multiply(float(sliced(input, 0, toEnd, 1)), scalar(2))
  graph.output(graph.node('Cast', [doubled], { to: 10 }), 'y', [1, 'length'], 'float16')
  const opened = await network(directory.path, graph.finish())
  const [port] = opened.inputs
  if (!port) throw new Error('The network has no input.')
  const { y } = await opened.run({ x: opened.tensor(port, [0.5, -1.25, 3], [1, 3]) })
  expect(floatsOf(y, opened.path)).toEqual(Float32Array.of(1, -2.5, 6))
  // As cached keys and values are: what one step returns is what the next one receives.
  if (!y) throw new Error('The network has no output.')
  expect(floatsOf((await opened.run({ x: y })).y, opened.path)).toEqual(Float32Array.of(2, -5, 12))
  await opened.release()
})
