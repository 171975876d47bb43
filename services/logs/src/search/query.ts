import { isUnspaced, tokenize } from '../segments/tokens.ts'

/** Adjacent words in this order; the last one may be a prefix. One word is the usual case. */
export type Leaf = { words: string[]; isPrefix: boolean }

/** A text matches if each clause has at least one matching leaf, and no excluded leaf matches. */
export type Query = { clauses: Leaf[][]; excluded: Leaf[] }

type Piece = { kind: 'leaf'; leaf: Leaf; isExcluded: boolean } | { kind: 'or' } | { kind: 'and' }

const piecePattern = /(?<minus>-?)"(?<phrase>[^"]*)"(?<phraseStar>\*?)|(?<word>\S+)/gy
const blank = /\s*/y

/**
 * The leaf for a text. If it ends in a script without blanks, the intended word may continue: from two characters on, their pairs describe
 * it completely; a single character is the prefix of a pair.
 */
export const leafOf = (text: string, isPrefix: boolean): Leaf => {
  const tokens = tokenize(text)
  const words = tokens.map((token) => token.text)
  const last = tokens.at(-1)
  if (!last || !isUnspaced(last.text)) return { words, isPrefix }
  return tokens.at(-2)?.end === last.end ? { words: words.slice(0, -1), isPrefix: false } : { words, isPrefix: true }
}

/** A leaf for each word of a text. In a script without blanks, the last character is part of the previous pair. */
const eachWord = (text: string): Leaf[] =>
  tokenize(text)
    .filter(({ end }, index, all) => all[index - 1]?.end !== end)
    .map((token) => leafOf(token.text, false))

/** Undefined if the text is malformed. */
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
 * OR binds more strongly than the implicit AND; an explicit AND changes nothing. Undefined if an OR lacks an operand or joins an
 * excluded leaf, and if an AND lacks an operand.
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
 * Parses a user's query: words are ANDed; "phrases"; `prefix*`; `-not`; `OR` between two; `AND` between two changes nothing.
 * A malformed query (an unclosed quote, an OR or AND without an operand, a lone minus) is treated as its words.
 * A word of several tokens, such as an address or a path, is a phrase. Returns null for a blank text or a lone `*`, which match everything.
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

/** Whether a query has no words to search for, such as "***". */
export const isEmptyQuery = (query: Query): boolean => query.clauses.length === 0 && query.excluded.length === 0

export const leavesOf = (query: Query): Leaf[] => [...query.clauses.flat(), ...query.excluded]

/** The index of a leaf's first word in a text's words, searched from `from` on; -1 if it does not occur. */
export const findLeaf = (leaf: Leaf, words: readonly string[], from = 0): number => {
  const last = leaf.words.length - 1
  // A single word is the usual case, and thousands of texts are searched for it.
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

/** Whether a text with these words matches the query. */
export const matchesWords = (query: Query, words: readonly string[]): boolean =>
  query.clauses.every((clause) => clause.some((leaf) => findLeaf(leaf, words) >= 0)) &&
  !query.excluded.some((leaf) => findLeaf(leaf, words) >= 0)

/** A query for texts with at least one of the words. */
export const anyOf = (words: readonly string[]): Query => ({
  clauses: [[...new Set(words)].map((word) => ({ words: [word], isPrefix: false }))],
  excluded: [],
})
