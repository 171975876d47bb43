import { createOnnxGraph, type OnnxGraph } from '@trellis/model-runtime/onnx-graph'
import { analysed, type LearnedFrames, shape, synthesised } from './frame-codec.ts'
import { graphParts, toEnd } from './graph-parts.ts'
import { clusterCentres, nearest, zeros } from './linear-algebra.ts'

const [codebooks, size] = [4, 128]
/** All codes of all codebooks, side by side. */
const codes = codebooks * size
const unscaled = new Array<number>(shape.width).fill(1)

/** Codebooks that describe frames one after the other: each what the ones before left over. */
const learnCodebooks = (frames: readonly Float64Array[]) => {
  let rest = frames.map((frame) => Float64Array.from(frame))
  return Array.from({ length: codebooks }, () => {
    const centres = clusterCentres(
      rest.filter((_, index) => index % 2 === 0),
      size,
      6,
    )
    const numbers = rest.map((row) => nearest(row, centres))
    rest = rest.map((row, index) => row.map((value, i) => value - (centres[numbers[index] ?? 0]?.[i] ?? 0)))
    return { centres, numbers }
  })
}

type Codebooks = ReturnType<typeof learnCodebooks>

const tableOf = ({ centres }: Codebooks[number]): Float32Array => Float32Array.from(centres.flatMap((one) => [...one]))

const encoderNetwork = (learned: LearnedFrames, books: Codebooks) => {
  const graph = createOnnxGraph('encoder')
  const { table, subtract, product, turned, multiply, scalar, looked, wide, narrow, joined } = graphParts(graph)
  const audio = graph.input('input_values', 'float', [1, 1, 'samples'])
  let rest = turned(narrow(analysed(graph, audio, learned, unscaled), 0), [1, 0])
  const chosen = books.map((book) => {
    const rows = table([size, shape.width], tableOf(book))
    const powers = table(
      [size],
      Float32Array.from(book.centres, (one) => one.reduce((sum, x) => sum + x * x, 0)),
    )
    const distances = subtract(powers, multiply(scalar(2), product(rest, turned(rows, [1, 0]))))
    const numbers = graph.node('ArgMin', [distances], { axis: 1, keepdims: 0 })
    rest = subtract(rest, looked(rows, numbers))
    return wide(numbers, 0, 1, 2)
  })
  graph.output(joined(chosen, 2), 'audio_codes', [1, 1, codebooks, 'frames'], 'int64')
  return graph.finish()
}

const decoderNetwork = (learned: LearnedFrames, books: Codebooks) => {
  const graph = createOnnxGraph('decoder')
  const { table, add, looked, narrow, sliced, turned, wide } = graphParts(graph)
  const numbers = narrow(graph.input('audio_codes', 'int64', [1, 1, codebooks, 'frames']), 0, 1)
  const parts = books.map((book, index) =>
    looked(table([size, shape.width], tableOf(book)), narrow(sliced(numbers, index, index + 1, 0), 0)),
  )
  const frames = wide(turned(parts.reduce(add), [1, 0]), 0)
  graph.output(synthesised(graph, frames, learned, unscaled), 'audio_values', [1, 1, 'samples'])
  return graph.finish()
}

/** How likely each code is after each other of its codebook, from pairs of frames. */
const transitions = (books: Codebooks): Float32Array => {
  const matrix = new Float32Array(codes * codes)
  for (const [index, { numbers }] of books.entries()) {
    const counts = zeros(size, size)
    for (const [at, number] of numbers.entries()) {
      const row = counts[numbers[at - 1] ?? number]
      if (row) row[number] = (row[number] ?? 0) + 1
    }
    for (const [from, row] of counts.entries()) {
      const total = row.reduce((sum, value) => sum + value, 0.01 * size)
      for (const [to, count] of row.entries())
        matrix[(index * size + from) * codes + index * size + to] = (count + 0.01) / total
    }
  }
  return matrix
}

/** How much brighter each code of the first codebook sounds than the others: the mean position of its power in the spectrum. */
const brightness = ({ directions }: LearnedFrames, books: Codebooks): number[] => {
  const [first] = books
  const centroids = (first?.centres ?? []).map((centre) => {
    let [weighted, total] = [0, 1e-9]
    for (let bin = 0; bin < shape.hop; bin++) {
      const value = directions.reduce((sum, one, index) => sum + (centre[index] ?? 0) * (one[bin] ?? 0), 0)
      weighted += bin * value * value
      total += value * value
    }
    return Math.log(1 + weighted / total)
  })
  const mean = centroids.reduce((sum, value) => sum + value, 0) / centroids.length
  const deviation = Math.sqrt(centroids.reduce((sum, value) => sum + (value - mean) ** 2, 0) / centroids.length)
  return centroids.map((value) => (value - mean) / deviation)
}

/** Each code as a row with a one in its own column; the last row, of the special token, has none. */
const oneHot = (index: number): Float32Array => {
  const rows = new Float32Array((size + 1) * codes)
  for (let code = 0; code < size; code++) rows[code * codes + index * size + code] = 1
  return rows
}

/** Sharpness of the attention to alike moments, its share against what is usual after a code, and the pull of a prompt. */
const tuning = { sharpness: 12, attended: 0.85, prompt: 4 }

/**
 * Continues as attention does that looks for the moments most alike to the last two columns and adds up what came after them
 * (the "induction heads" of Olsson et al., 2022), mixed with what usually follows a code in the music that it was trained on.
 * Keys are columns, values the codes in them; the prompt shifts the likelihood of bright codes.
 */
const networkOf = (learned: LearnedFrames, books: Codebooks) => {
  const graph = createOnnxGraph('network')
  const parts = graphParts(graph)
  const { add, subtract, multiply, divide, product, turned, sliced, joined, narrow, scalar, summed, table } = parts
  const { width } = shape
  const tokens = graph.input('decoder_input_ids', 'int64', ['rows', 'columns'])
  const text = graph.input('encoder_hidden_states', 'float', ['batch', 'words', 1])
  const mask = graph.input('encoder_attention_mask', 'int64', ['batch', 'words'])
  graph.input('use_cache_branch', 'bool', [1])
  const pastKeys = graph.input('past_key_values.0.decoder.key', 'float', ['batch', 1, 'past', width])
  const pastValues = graph.input('past_key_values.0.decoder.value', 'float', ['batch', 1, 'past', codes])
  const length = sliced(graph.node('Shape', [tokens]), 1, 2, 0)
  const split = graph.node('Reshape', [tokens, joined([parts.integers(-1, codebooks), length], 0)])
  const numbersOf = (index: number) => narrow(sliced(split, index, index + 1, 1), 1)
  const special = new Float32Array(width)
  const embedded = books
    .map((book, index) =>
      parts.looked(table([size + 1, width], Float32Array.from([...tableOf(book), ...special])), numbersOf(index)),
    )
    .reduce(add)
  const shown = books
    .map((_, index) => parts.looked(table([size + 1, codes], oneHot(index)), numbersOf(index)))
    .reduce(add)
  const keys = joined([pastKeys, parts.wide(embedded, 1)], 2)
  const values = joined([pastValues, parts.wide(shown, 1)], 2)
  const earlier = sliced(keys, 0, -1, 2)
  const powers = summed(multiply(earlier, earlier), 3)
  const likeness = (key: string) => subtract(multiply(scalar(2), product(earlier, turned(key, [0, 1, 3, 2]))), powers)
  const last = likeness(sliced(keys, -1, toEnd, 2))
  const before = likeness(sliced(keys, -2, -1, 2))
  const first = subtract(multiply(sliced(before, 0, 1, 2), scalar(0)), scalar(10))
  const scores = add(last, joined([first, sliced(before, 0, -1, 2)], 2))
  const weights = graph.node('Softmax', [multiply(scores, scalar(tuning.sharpness))], { axis: 2 })
  const followed = product(turned(weights, [0, 1, 3, 2]), sliced(values, 1, toEnd, 2))
  const usual = product(sliced(values, -1, toEnd, 2), table([codes, codes], transitions(books)))
  const mixed = add(multiply(scalar(tuning.attended), followed), multiply(scalar(1 - tuning.attended), usual))
  const counted = multiply(text, parts.wide(parts.float(mask), 2))
  const words = add(summed(parts.wide(parts.float(mask), 2), 1), scalar(1e-6))
  const pull = Float32Array.from({ length: codes }, (_, i) => tuning.prompt * (brightness(learned, books)[i] ?? 0))
  const wish = parts.wide(product(divide(summed(counted, 1), words), table([1, codes], pull)), 1)
  const logits = add(graph.node('Log', [add(mixed, scalar(1e-4))]), wish)
  graph.output(parts.reshaped(logits, -1, 1, size), 'logits', ['rows', 1, size])
  graph.output(keys, 'present.0.decoder.key', ['batch', 1, 'total', width])
  graph.output(values, 'present.0.decoder.value', ['batch', 1, 'total', codes])
  return graph.finish()
}

const vocabulary = ['[UNK]', 'bright', 'dark', 'calm'] as const
/** What each word wishes, from dark (-1) to bright (1). */
const wishes = [0, 1, -1, 0]

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
  },
}

const textNetwork = () => {
  const graph: OnnxGraph = createOnnxGraph('text')
  const { table, looked } = graphParts(graph)
  const words = graph.input('input_ids', 'int64', [1, 'words'])
  const states = looked(table([vocabulary.length, 1], Float32Array.from(wishes)), words)
  graph.output(states, 'last_hidden_state', [1, 'words', 1])
  return graph.finish()
}

const manifest = {
  kind: 'autoregressive',
  name: 'Small model of codes',
  sample_rate: shape.rate,
  channels: 1,
  hop: shape.hop,
  window_seconds: 12,
  context_seconds: 6,
  files: {
    encoder: 'encodec_encoder.onnx',
    decoder: 'encodec_decode.onnx',
    network: 'decoder_model_merged.onnx',
    text_encoder: 'text_encoder.onnx',
    tokenizer: 'tokenizer.json',
  },
  text: { max_tokens: 8, width: 1, guidance: 2 },
  codebooks,
  codebook_size: size,
  temperature: 0.7,
  top_k: 16,
}

/** The files of a model of codes, with the interface that MusicGen has in ONNX. */
export const autoregressiveModel = (learned: LearnedFrames): Record<string, Uint8Array | string> => {
  const books = learnCodebooks(learned.frames.flat())
  return {
    'model.json': JSON.stringify(manifest, null, 2),
    'encodec_encoder.onnx': encoderNetwork(learned, books),
    'encodec_decode.onnx': decoderNetwork(learned, books),
    'decoder_model_merged.onnx': networkOf(learned, books),
    'text_encoder.onnx': textNetwork(),
    'tokenizer.json': JSON.stringify(tokenizer),
  }
}
