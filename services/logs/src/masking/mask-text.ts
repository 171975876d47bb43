import { writerOf } from '../anonymize/programs.ts'
import { replaceRepeatedNames } from '../anonymize/repeated-names.ts'
import { type MaskRule, maskRules } from './mask-rules.ts'
import { createPlaceholders, type Placeholders } from './placeholders.ts'

export type MaskOptions = {
  /** Shared by all texts that are masked together, so that equal values have equal placeholders. */
  placeholders?: Placeholders
}

type Alternative = { index: number; mask: MaskRule['mask']; group: number; hasBefore: boolean }
type Expression = { whole: RegExp; alternatives: readonly Alternative[] }

const groupsIn = (source: string): number => (new RegExp(`${source}|`, 'u').exec('')?.length ?? 1) - 1

/** Combines rules into one expression that scans a text once; the first matching rule wins. */
const compile = (indexes: readonly number[]): Expression | undefined => {
  const alternatives: Alternative[] = []
  const sources: string[] = []
  let group = 1
  for (const index of indexes) {
    const rule = maskRules[index]
    if (!rule) continue
    const { pattern, mask } = rule
    const groups = groupsIn(pattern.source)
    const modifiers = [...pattern.flags].filter((flag) => 'im'.includes(flag)).join('')
    alternatives.push({ index, mask, group, hasBefore: groups === 2 })
    sources.push(modifiers === '' ? `(${pattern.source})` : `((?${modifiers}:${pattern.source}))`)
    group += groups + 1
  }
  return sources.length === 0 ? undefined : { whole: new RegExp(sources.join('|'), 'gu'), alternatives }
}

/** Rules share hints, and texts of one kind of log have few sets of hints, so that expressions are cached by set. */
const hints = [...new Set(maskRules.map(({ hint }) => hint))]
const hintOf = maskRules.map(({ hint }) => hints.indexOf(hint))
const expressions = new Map<string, Expression | undefined>()
const maxExpressions = 500

const hintsIn = (text: string): number =>
  hints.reduce((bits, hint, index) => (hint.test(text) ? bits | (1 << index) : bits), 0)

/** The expression of the rules from an index on whose hints a text has. */
const expressionFor = (text: string, from: number): Expression | undefined => {
  const bits = hintsIn(text)
  const key = `${from} ${bits}`
  if (expressions.has(key)) return expressions.get(key)
  const expression = compile(
    maskRules.flatMap((_, index) => (index >= from && bits & (1 << (hintOf[index] ?? 0)) ? [index] : [])),
  )
  if (expressions.size >= maxExpressions) expressions.clear()
  expressions.set(key, expression)
  return expression
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
    // A false match may be another kind of value or contain one; the text before a value may contain an address, as in an access log.
    if (masked === value) return mask(match, names, index + 1)
    return (before === '' ? '' : mask(before, names, 0)) + masked
  })
}

/**
 * Replaces data that identifies people or grants access by placeholders (`[ip4-1]`, `[user-2]`, `[password]`): IP, MAC and e-mail addresses, users
 * and hosts where programs name them, passwords, tokens, private keys, credentials in URLs, card numbers. Times and commit hashes remain. A name
 * found once, in this text or another one with the same `placeholders`, is masked wherever else it occurs as a whole word, except users in paths
 * and names of programs that wrote one of the texts. By default `placeholders` are new. Takes time linear in the length of the text.
 */
export const maskText = (text: string, { placeholders = createPlaceholders() }: MaskOptions = {}): string => {
  const writer = writerOf(text)
  if (writer !== undefined) placeholders.excludeProgram(writer)
  return replaceRepeatedNames(mask(text, placeholders, 0), placeholders.named)
}
