import { wildcard } from './masking.ts'

/** A form in pieces: words and wildcards, and between them what is the same in all lines of its kind. */
export type Pieces = {
  /** Words and wildcards in order. */
  words: readonly string[]
  /** What stands before each word, and after the last. */
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

/** The form with wildcards in some places. */
export const generalise = ({ words, gaps }: Pieces, places: readonly number[]): string =>
  words.reduce((form, word, place) => `${form}${gaps[place] ?? ''}${places.includes(place) ? wildcard : word}`, '') +
  (gaps.at(-1) ?? '')

/** Whether every line of a form is one of a more general form, too; both have the same gaps. */
export const covers = (general: readonly string[], words: readonly string[]): boolean =>
  general.length === words.length && general.every((word, place) => word === wildcard || word === words[place])
