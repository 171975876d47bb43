import { createHash } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A model that cannot be used. The message names the file and the problem. */
export class ModelUnusable extends Error {
  override name = 'ModelUnusable'
}

export type Pooling = 'mean' | 'first' | 'largest'

/** The contents of a model's folder, in the layout of Hugging Face for ONNX. */
export type ModelFiles = {
  /** Path of the network, which may reference files of weights. */
  network: string
  tokenizer: object
  tokenizerConfig: object
  pooling: Pooling
  /** The labels of `id2label`, by index; empty if the model has none. */
  labels: string[]
  /** Whether several labels may apply at once, so that each has an independent probability. */
  isMultiLabel: boolean
  /** The maximum length of a text in tokens. */
  maxTokens: number
  /** Identifies the model's outputs; the same on every machine. */
  fingerprint: string
}

const megabyte = 1024 * 1024
const maxDescriptionBytes = 128 * megabyte
const maxNetworkBytes = 4096 * megabyte
/** Longer texts take long and add little: log lines are short. */
const defaultMaxTokens = 256
const maxLabels = 1_000

/** In order of preference: networks of 8-bit integers are two to three times as fast on a CPU. */
const networks = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx']

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
  return code === 'EACCES' ? 'is not readable' : `cannot be read (${String(code ?? error)})`
}

const readJson = async (path: string): Promise<Json> => {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > maxDescriptionBytes)
      throw new ModelUnusable(`${path} has ${size} bytes, more than the maximum of ${maxDescriptionBytes}.`)
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ModelUnusable) throw error
    throw new ModelUnusable(`${path} ${reasonOf(error)}.`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (cause) {
    throw new ModelUnusable(`${path} is not JSON.`, { cause })
  }
  throw new ModelUnusable(`${path} is not an object.`)
}

const readOptionalJson = async (path: string): Promise<Json> => {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere ? readJson(path) : {}
}

const findNetwork = async (directory: string): Promise<{ path: string; size: number }> => {
  for (const name of networks) {
    const path = join(directory, name)
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile()) continue
    if (found.size > maxNetworkBytes)
      throw new ModelUnusable(`${path} has ${found.size} bytes; at most ${maxNetworkBytes} are allowed.`)
    return { path, size: found.size }
  }
  throw new ModelUnusable(`${directory} contains none of ${networks.join(', ')}.`)
}

/** As sentence-transformers writes it: one flag for each mode. */
const poolings: readonly (readonly [flag: string, pooling: Pooling])[] = [
  ['pooling_mode_cls_token', 'first'],
  ['pooling_mode_max_tokens', 'largest'],
]
const readPooling = (description: Json): Pooling => poolings.find(([flag]) => description[flag] === true)?.[1] ?? 'mean'

const readLabels = (path: string, config: Json): string[] => {
  const named = config.id2label
  if (named === undefined) return []
  if (!isObject(named)) throw new ModelUnusable(`id2label in ${path} is not an object.`)
  const labels = Object.entries(named)
  if (labels.length > maxLabels) throw new ModelUnusable(`id2label in ${path} names more than ${maxLabels} labels.`)
  return labels.map((_, index) => {
    const label = named[String(index)]
    if (typeof label !== 'string') throw new ModelUnusable(`id2label in ${path} has no text for ${index}.`)
    return label
  })
}

/** The smallest limit that the files declare. Some declare "no limit" as a number of thirty digits. */
const readMaxTokens = (...limits: unknown[]): number =>
  Math.min(defaultMaxTokens, ...limits.filter((value) => typeof value === 'number').filter((value) => value >= 2))

/** Identifies the network by its size and both ends: hashing all of it would take longer than loading it. */
const fingerprintOf = async (
  network: { path: string; size: number },
  descriptions: readonly Json[],
): Promise<string> => {
  const digest = createHash('sha256').update(`${network.size}\0${JSON.stringify(descriptions)}\0`)
  await using file = await open(network.path)
  const part = Buffer.alloc(65_536)
  for (const position of [0, Math.max(0, network.size - part.length)]) {
    const { bytesRead } = await file.read(part, 0, part.length, position)
    digest.update(part.subarray(0, bytesRead))
  }
  return digest.digest('hex').slice(0, 32)
}

/** Reads a model's folder except the network itself. Throws ModelUnusable. */
export const readModelFiles = async (directory: string): Promise<ModelFiles> => {
  const file = (name: string) => join(directory, name)
  const config = await readJson(file('config.json'))
  const tokenizer = await readJson(file('tokenizer.json'))
  const tokenizerConfig = await readOptionalJson(file('tokenizer_config.json'))
  const poolingConfig = await readOptionalJson(file('1_Pooling/config.json'))
  const sentenceConfig = await readOptionalJson(file('sentence_bert_config.json'))
  const network = await findNetwork(directory)
  return {
    network: network.path,
    tokenizer,
    tokenizerConfig,
    pooling: readPooling(poolingConfig),
    labels: readLabels(file('config.json'), config),
    isMultiLabel: config.problem_type === 'multi_label_classification',
    maxTokens: readMaxTokens(
      sentenceConfig.max_seq_length,
      tokenizerConfig.model_max_length,
      config.max_position_embeddings,
    ),
    fingerprint: await fingerprintOf(network, [config, tokenizer, tokenizerConfig, poolingConfig]),
  }
}
