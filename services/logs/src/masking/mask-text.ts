import { replaceNamedAgain } from '../anonymize/named-again.ts'
import { writerOf } from '../anonymize/programs.ts'
import { type MaskPlace, maskPlaces } from './kinds.ts'
import { createPlaceholders, type Placeholders } from './placeholders.ts'

export type MaskOptions = {
  /** Shared by all that is masked together, so that the same address has the same placeholder in all of it. */
  placeholders?: Placeholders
}

type Alternative = { index: number; mask: MaskPlace['mask']; group: number; hasBefore: boolean }
type Expression = { whole: RegExp; alternatives: readonly Alternative[] }

const groupsIn = (source: string): number => (new RegExp(`${source}|`, 'u').exec('')?.length ?? 1) - 1

/** Places as one expression, which goes through a text once: the first place that fits wins. */
const compile = (indexes: readonly number[]): Expression | undefined => {
  const alternatives: Alternative[] = []
  const sources: string[] = []
  let group = 1
  for (const index of indexes) {
    const place = maskPlaces[index]
    if (!place) continue
    const { pattern, mask } = place
    const groups = groupsIn(pattern.source)
    const modifiers = [...pattern.flags].filter((flag) => 'im'.includes(flag)).join('')
    alternatives.push({ index, mask, group, hasBefore: groups === 2 })
    sources.push(modifiers === '' ? `(${pattern.source})` : `((?${modifiers}:${pattern.source}))`)
    group += groups + 1
  }
  return sources.length === 0 ? undefined : { whole: new RegExp(sources.join('|'), 'gu'), alternatives }
}

/** Places share hints, and what a text has is a set of hints: a few sets are all that one kind of logs ever has. */
const hints = [...new Set(maskPlaces.map(({ hint }) => hint))]
const hintOf = maskPlaces.map(({ hint }) => hints.indexOf(hint))
const expressions = new Map<string, Expression | undefined>()
const maxExpressions = 500

const present = (text: string): number =>
  hints.reduce((bits, hint, index) => (hint.test(text) ? bits | (1 << index) : bits), 0)

/** The expression of the places from one on that may be in a text. */
const expressionFor = (text: string, from: number): Expression | undefined => {
  const bits = present(text)
  const key = `${from} ${bits}`
  if (expressions.has(key)) return expressions.get(key)
  const made = compile(
    maskPlaces.flatMap((_, index) => (index >= from && bits & (1 << (hintOf[index] ?? 0)) ? [index] : [])),
  )
  if (expressions.size >= maxExpressions) expressions.clear()
  expressions.set(key, made)
  return made
}

const mask = (text: string, names: Placeholders, from: number): string => {
  const expression = expressionFor(text, from)
  if (!expression) return text
  return text.replaceAll(expression.whole, (...found: unknown[]) => {
    const match = String(found[0])
    const alternative = expression.alternatives.find(({ group }) => found[group] !== undefined)
    if (!alternative) return match
    const { index, group, hasBefore, mask: maskValue } = alternative
    const [before, value] = hasBefore ? [String(found[group + 1]), String(found[group + 2])] : ['', match]
    const masked = maskValue(value, names)
    // What only looked like it may be something else, or hold it; what leads to a value may hold an address, as the line of an access log does.
    if (masked === value) return mask(match, names, index + 1)
    return (before === '' ? '' : mask(before, names, 0)) + masked
  })
}

/**
 * Puts placeholders (`[ip4-1]`, `[user-2]`, `[password]`) in place of what names somebody or opens something: addresses of networks,
 * devices and mail, users and hosts where programs name them, passwords, tokens, private keys, credentials in URLs, card numbers. Times
 * and hashes of commits stay. What was named once, in this text or another with the same `placeholders`, is masked wherever else it stands
 * as a whole word, but for users in paths and those that are called like a program that wrote one of the texts. `placeholders` are fresh
 * unless given. Takes time in proportion to the text.
 */
export const maskText = (text: string, { placeholders = createPlaceholders() }: MaskOptions = {}): string => {
  const writer = writerOf(text)
  if (writer !== undefined) placeholders.spare(writer)
  return replaceNamedAgain(mask(text, placeholders, 0), placeholders.named)
}
