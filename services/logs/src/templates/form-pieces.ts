import { wildcard } from './masking.ts'

/** A form split into words and wildcards, and the gaps between them. */
export type Pieces = {
  /** Words and wildcards in order. */
  words: readonly string[]
  /** The text before each word, and after the last. */
  gaps: readonly string[]
}

const piece = /<\*>|[^\s=,;:()[\]{}"'|<>]+/g

export const piecesOf = (form: string): Pieces => {
  const words: string[] = []
  const gaps: string[] = []
  let end = 0
  for (const match of form.matchAll(piece)) {
    gaps.push(form.slice(end, match.index))
    words.push(match[0])
    end = match.index + match[0].length
  }
  gaps.push(form.slice(end))
  return { words, gaps }
}

/** The form with wildcards in some positions. */
export const generalise = ({ words, gaps }: Pieces, positions: readonly number[]): string =>
  words.reduce(
    (form, word, position) => `${form}${gaps[position] ?? ''}${positions.includes(position) ? wildcard : word}`,
    '',
  ) + (gaps.at(-1) ?? '')

/** Whether every line with a form also has the more general form; both have the same gaps. */
export const covers = (general: readonly string[], words: readonly string[]): boolean =>
  general.length === words.length && general.every((word, position) => word === wildcard || word === words[position])
