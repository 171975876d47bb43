import { Tokenizer } from '@huggingface/tokenizers'
import { type ModelFiles, ModelUnusable } from './model-files.ts'

/** Encodes a text as token ids, including the special tokens at both ends. */
export type Encoder = (text: string) => number[]

/** Characters of a text that are read: far more than the maximum number of tokens covers. */
const maxCharacters = 4_096

const commonEnd = (left: readonly number[], right: readonly number[]): number => {
  let length = 0
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length++
  return length
}

/** Creates the tokenizer of a model. Throws ModelUnusable for an invalid description. */
export const createEncoder = ({ tokenizer: description, tokenizerConfig, maxTokens, network }: ModelFiles): Encoder => {
  let tokenizer: Tokenizer
  let closing: number[]
  try {
    tokenizer = new Tokenizer(description, tokenizerConfig)
    const empty = tokenizer.encode('').ids
    closing = empty.slice(empty.length - Math.min(commonEnd(empty, tokenizer.encode('a').ids), empty.length))
  } catch (cause) {
    throw new ModelUnusable(`tokenizer.json of ${network} is not a supported tokenizer: ${String(cause)}.`, {
      cause,
    })
  }
  return (text) => {
    const { ids } = tokenizer.encode(text.slice(0, maxCharacters))
    // Truncated texts keep the special tokens at the end.
    return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - closing.length), ...closing]
  }
}
