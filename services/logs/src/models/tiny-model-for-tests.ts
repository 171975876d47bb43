import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createOnnxGraph } from '@trellis/model-runtime/onnx-graph'

/** A model small enough to be built in a test: each word has a row of numbers, from which the output is computed. */
export type TinyModel = {
  /** Rows of the same length, by word. Other words have zeros. */
  words: Readonly<Record<string, readonly number[]>>
  task: 'embedding' | 'classification'
  labels?: readonly string[]
  config?: object
  /** Replaces generated files; null omits one. */
  files?: Readonly<Record<string, object | string | null>>
  pooling?: object
  network?: string
}

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']

const tokenizerOf = (vocabulary: readonly string[]) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: special.map((content, id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((word, index) => [word, index])),
  },
})

/** Sums the rows of the words for a classification; one row per token for an embedding. */
const networkOf = (rows: readonly (readonly number[])[], width: number, task: TinyModel['task']): Buffer => {
  const graph = createOnnxGraph('tiny')
  const ids = graph.input('input_ids', 'int64', ['batch', 'sequence'])
  const mask = graph.input('attention_mask', 'int64', ['batch', 'sequence'])
  const table = graph.weights('rows', { shape: [rows.length, width], data: Float32Array.from(rows.flat()) })
  const axes = graph.weights('axis', { shape: [1], data: BigInt64Array.of(task === 'embedding' ? 2n : 1n) })
  const found = graph.node('Gather', [table, ids])
  if (task === 'classification')
    graph.output(graph.node('ReduceSum', [found, axes], { keepdims: 0 }), 'logits', ['batch', width])
  else {
    const isToken = graph.node('Unsqueeze', [graph.node('Cast', [mask], { to: 1 }), axes])
    graph.output(graph.node('Mul', [found, isToken]), 'last_hidden_state', ['batch', 'sequence', width])
  }
  return graph.finish()
}

/** Writes a model in the layout of Hugging Face. */
export const writeTinyModel = async (directory: string, model: TinyModel): Promise<void> => {
  const vocabulary = [...new Set([...special, ...Object.keys(model.words)])]
  const width = Math.max(...Object.values(model.words).map((row) => row.length))
  const zeros = new Array<number>(width).fill(0)
  const rows = vocabulary.map((word) => model.words[word] ?? zeros)
  const labels = model.labels && { id2label: Object.fromEntries(model.labels.map((label, index) => [index, label])) }
  const files: Record<string, object | string | Uint8Array | null> = {
    'config.json': { max_position_embeddings: 64, ...labels, ...model.config },
    'tokenizer.json': tokenizerOf(vocabulary),
    'tokenizer_config.json': { tokenizer_class: 'BertTokenizer', model_max_length: 64 },
    ...(model.pooling && { '1_Pooling/config.json': model.pooling }),
    [model.network ?? 'onnx/model.onnx']: networkOf(rows, width, model.task),
    ...model.files,
  }
  for (const [name, content] of Object.entries(files)) {
    if (content === null) continue
    await mkdir(dirname(join(directory, name)), { recursive: true })
    const isPlain = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(join(directory, name), isPlain ? content : JSON.stringify(content))
  }
}
