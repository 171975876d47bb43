import { isUnspaced, tokenize } from '../segments/tokens.ts'

/** Words that stand next to each other in this order; the last may be a beginning only. One word is the usual case. */
export type Leaf = { words: string[]; isPrefix: boolean }

/** All clauses hold, each by at least one of its leaves, and none of the excluded leaves does. */
export type Query = { clauses: Leaf[][]; excluded: Leaf[] }

type Piece = { kind: 'leaf'; leaf: Leaf; isExcluded: boolean } | { kind: 'or' } | { kind: 'and' }

const piecePattern = /(?<minus>-?)"(?<phrase>[^"]*)"(?<phraseStar>\*?)|(?<word>\S+)/gy
const blank = /\s*/y

/**
 * What somebody asks for with a text. Where it ends in a script without blanks, what is meant may go on there: of two characters or more the
 * pairs say all, and one is how a pair begins.
 */
export const leafOf = (text: string, isPrefix: boolean): Leaf => {
  const tokens = tokenize(text)
  const words = tokens.map((token) => token.text)
  const last = tokens.at(-1)
  if (!last || !isUnspaced(last.text)) return { words, isPrefix }
  return tokens.at(-2)?.end === last.end ? { words: words.slice(0, -1), isPrefix: false } : { words, isPrefix: true }
}

/** The words of a text, each by itself. Of a script without blanks, the last character is in the pair before. */
const eachWord = (text: string): Leaf[] =>
  tokenize(text)
    .filter(({ end }, index, all) => all[index - 1]?.end !== end)
    .map((token) => leafOf(token.text, false))

/** undefined when the text is not well formed. */
const piecesOf = (text: string): Piece[] | undefined => {
  const pieces: Piece[] = []
  let position = 0
  while (position < text.length) {
    blank.lastIndex = position
    blank.exec(text)
    position = blank.lastIndex
    if (position >= text.length) break
    piecePattern.lastIndex = position
    const groups = piecePattern.exec(text)?.groups
    if (!groups) return undefined
    position = piecePattern.lastIndex
    const piece = groups.word === undefined ? phrasePiece(groups) : wordPiece(groups.word)
    if (!piece) return undefined
    pieces.push(piece)
  }
  return pieces
}

const phrasePiece = (groups: Record<string, string>): Piece => ({
  kind: 'leaf',
  leaf: leafOf(groups.phrase ?? '', groups.phraseStar === '*'),
  isExcluded: groups.minus === '-',
})

const wordPiece = (word: string): Piece | undefined => {
  if (word === 'OR') return { kind: 'or' }
  if (word === 'AND') return { kind: 'and' }
  if (word.includes('"') || word === '-') return undefined
  const isExcluded = word.startsWith('-')
  const isPrefix = word.length > 1 && /[\p{L}\p{N}]\*$/u.test(word)
  return { kind: 'leaf', leaf: leafOf(word, isPrefix), isExcluded }
}

/**
 * OR joins its neighbours before words are ANDed; an AND between two says what a blank says. undefined when an OR lacks a side or joins
 * what is excluded, and when an AND lacks a side.
 */
const arrange = (pieces: Piece[]): Query | undefined => {
  const query: Query = { clauses: [], excluded: [] }
  let joinsNext = false
  let before: Piece | undefined
  for (const piece of pieces) {
    if (piece.kind === 'or') {
      if (before?.kind !== 'leaf' || before.isExcluded) return undefined
      joinsNext = true
    } else if (piece.kind === 'and') {
      if (before?.kind !== 'leaf') return undefined
    } else if (piece.isExcluded) {
      if (joinsNext) return undefined
      query.excluded.push(piece.leaf)
    } else {
      if (joinsNext) query.clauses.at(-1)?.push(piece.leaf)
      else query.clauses.push([piece.leaf])
      joinsNext = false
    }
    before = piece
  }
  return joinsNext || before?.kind === 'and' ? undefined : query
}

/**
 * Reads what somebody typed: words are ANDed; "phrases"; `prefix*`; `-not`; `OR` between two; `AND` between two changes nothing.
 * What is not well formed (a quote left open, an OR or AND without a side, a lone minus) is searched for as its words.
 * A word of several parts, such as an address or a path, is a phrase. Gives null for a blank text or a lone `*`, which ask for everything.
 */
export const parseQuery = (text: string): Query | null => {
  if (text.trim() === '' || text.trim() === '*') return null
  const pieces = piecesOf(text)
  const query = pieces && arrange(pieces)
  if (!query) return { clauses: eachWord(text).map((leaf) => [leaf]), excluded: [] }
  const hasWords = (leaf: Leaf) => leaf.words.length > 0
  const clauses = query.clauses.map((clause) => clause.filter(hasWords)).filter((clause) => clause.length > 0)
  return { clauses, excluded: query.excluded.filter(hasWords) }
}

/** Whether a query has anything to look for; "***" has not. */
export const isEmptyQuery = (query: Query): boolean => query.clauses.length === 0 && query.excluded.length === 0

export const leavesOf = (query: Query): Leaf[] => [...query.clauses.flat(), ...query.excluded]

/** Where a leaf's words stand in a text's words: the index of the first, from `from` on; -1 when nowhere. */
export const findLeaf = (leaf: Leaf, words: readonly string[], from = 0): number => {
  const last = leaf.words.length - 1
  // A single word is the usual case, and is looked for in texts by the thousand.
  if (last === 0 && !leaf.isPrefix) return words.indexOf(leaf.words[0] ?? '', from)
  for (let start = from; start + last < words.length; start++) {
    const fits = leaf.words.every((word, index) => {
      const found = words[start + index] ?? ''
      return leaf.isPrefix && index === last ? found.startsWith(word) : found === word
    })
    if (fits) return start
  }
  return -1
}

/** Whether a text, given as its words, is what the query asks for. */
export const matchesWords = (query: Query, words: readonly string[]): boolean =>
  query.clauses.every((clause) => clause.some((leaf) => findLeaf(leaf, words) >= 0)) &&
  !query.excluded.some((leaf) => findLeaf(leaf, words) >= 0)

/** Asks for texts with one of the words at least. */
export const anyOf = (words: readonly string[]): Query => ({
  clauses: [[...new Set(words)].map((word) => ({ words: [word], isPrefix: false }))],
  excluded: [],
})
