import { Tokenizer } from '@huggingface/tokenizers'
import { type ModelFiles, ModelUnusable } from './model-files.ts'

/** The tokens of a text as numbers, with those that begin and end every text. */
export type Encoder = (text: string) => number[]

/** Characters of a text that are looked at: far more than the most tokens come from. */
const maxCharacters = 4_096

const commonEnd = (left: readonly number[], right: readonly number[]): number => {
  let length = 0
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length++
  return length
}

/** Makes the tokenizer of a model. Throws ModelUnusable for a description that is none. */
export const createEncoder = ({ tokenizer: description, tokenizerConfig, maxTokens, network }: ModelFiles): Encoder => {
  let tokenizer: Tokenizer
  let closing: number[]
  try {
    tokenizer = new Tokenizer(description, tokenizerConfig)
    const empty = tokenizer.encode('').ids
    closing = empty.slice(empty.length - Math.min(commonEnd(empty, tokenizer.encode('a').ids), empty.length))
  } catch (cause) {
    throw new ModelUnusable(`tokenizer.json of ${network} describes no tokenizer that is known: ${String(cause)}.`, {
      cause,
    })
  }
  return (text) => {
    const { ids } = tokenizer.encode(text.slice(0, maxCharacters))
    // What ends every text still does when the text is cut.
    return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - closing.length), ...closing]
  }
}
