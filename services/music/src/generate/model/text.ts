import { readFile, stat } from 'node:fs/promises'
import { ModelUnusable } from '../../onnx/model-unusable.ts'
import { isParticle, wordsOf } from '../prompt-words.ts'
import type { Manifest } from './manifest.ts'
import { floatsOf, lacking, type Network, portOf, type Roles } from './network.ts'

/** A prompt as the network sees it: `width` numbers per token, and which tokens count. */
export type TextStates = {
  readonly states: Float32Array
  readonly mask: Float32Array
  readonly width: number
}

export type EncodedPrompt = TextStates & {
  /** Words of the prompt that the model knows and that are not cut off. */
  readonly honored: readonly string[]
}

export type TextEncoder = (prompt: string) => Promise<EncodedPrompt>

const largestTokenizer = 64 * 2 ** 20
const usual: Roles['usual'] = {
  text_tokens: ['input_ids'],
  text_mask: ['attention_mask'],
  text_states: ['last_hidden_state', 'text_states', 'output'],
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

const readTokenizer = async (path: string): Promise<Json> => {
  const info = await stat(path)
  if (info.size > largestTokenizer) throw new ModelUnusable(`${path} is larger than ${largestTokenizer} bytes.`)
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (isObject(value)) return value
  } catch (cause) {
    throw new ModelUnusable(`${path} is not JSON.`, { cause })
  }
  throw new ModelUnusable(`${path} is not an object.`)
}

/** Number of the token for what a tokenizer does not know; undefined if it knows everything. */
const unknownOf = ({ model }: Json): number | undefined => {
  if (!isObject(model)) return undefined
  const { unk_id, unk_token, vocab } = model
  if (typeof unk_id === 'number') return unk_id
  if (typeof unk_token !== 'string' || !isObject(vocab)) return undefined
  const id: unknown = vocab[unk_token]
  return typeof id === 'number' ? id : undefined
}

/** The largest `n` of 0..count for which `fits(n)` holds, if it holds for all smaller ones. */
const largestFitting = (count: number, fits: (n: number) => boolean): number => {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Opens the text encoder of a model. Throws ModelUnusable. */
export const openTextEncoder = async (
  network: Network,
  tokenizerPath: string,
  { names, text }: Manifest,
): Promise<TextEncoder> => {
  const { Tokenizer } = await import('@huggingface/tokenizers')
  const description = await readTokenizer(tokenizerPath)
  const maxTokens = text?.max_tokens ?? 64
  const unknown = unknownOf(description)
  const roles = { names, usual }
  const tokens = portOf(network.inputs, 'text_tokens', roles)
  const mask = portOf(network.inputs, 'text_mask', roles)
  const states = portOf(network.outputs, 'text_states', roles)
  if (!tokens || network.inputs.some((port) => port !== tokens && port !== mask))
    throw lacking(network, 'input "text_tokens", or has others')
  if (!states) throw lacking(network, 'output "text_states"')
  let encode: (words: string) => number[]
  try {
    const tokenizer = new Tokenizer(description, {})
    encode = (words) => tokenizer.encode(words).ids
    if (!encode('a first text').every(Number.isInteger)) throw new Error('it has words without a number')
  } catch (cause) {
    throw new ModelUnusable(`${tokenizerPath} describes no tokenizer that is known: ${String(cause)}.`, { cause })
  }
  const closing = encode('').length

  return async (prompt) => {
    const words = wordsOf(prompt)
    const endOf = (count: number): number => {
      const last = words[count - 1]
      return last === undefined ? 0 : last.at + last.word.length
    }
    // Whole words only: what is cut off is not followed.
    const fitting = largestFitting(words.length, (count) => encode(prompt.slice(0, endOf(count))).length <= maxTokens)
    const whole = fitting === words.length && encode(prompt).length <= maxTokens
    const ids = encode(whole ? prompt : prompt.slice(0, endOf(fitting))).slice(0, Math.max(maxTokens, closing))
    const honored = words
      .slice(0, fitting)
      .map(({ word }) => word)
      .filter((word) => !isParticle(word) && (unknown === undefined || !encode(word).includes(unknown)))
    const ones = new Float32Array(ids.length).fill(1)
    const feeds = {
      [tokens.name]: network.tensor(tokens, ids, [1, ids.length]),
      ...(mask && { [mask.name]: network.tensor(mask, ones, [1, ids.length]) }),
    }
    const tensor = (await network.run(feeds))[states.name]
    const values = floatsOf(tensor, network.path)
    const width = values.length / ids.length
    if (tensor?.dims.length !== 3 || !Number.isInteger(width))
      throw new ModelUnusable(`${network.path} returns [${tensor?.dims.join(', ')}], not [1, tokens, width].`)
    return { states: values, mask: ones, width, honored: [...new Set(honored)] }
  }
}
