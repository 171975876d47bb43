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
type Match = { found: RegExpExecArray; alternative: Alternative }

const groupsIn = (source: string): number => (new RegExp(`${source}|`, 'u').exec('')?.length ?? 1) - 1

/** Combines rules with equal flags into one expression that scans a text once; the first matching rule wins. */
const combine = (flags: string, indexes: readonly number[]): Expression => {
  const alternatives: Alternative[] = []
  const sources: string[] = []
  let group = 1
  for (const index of indexes) {
    const rule = maskRules[index]
    if (!rule) continue
    const { pattern, mask } = rule
    const groups = groupsIn(pattern.source)
    alternatives.push({ index, mask, group, hasBefore: groups === 2 })
    sources.push(`(${pattern.source})`)
    group += groups + 1
  }
  return { whole: new RegExp(sources.join('|'), `gu${flags}`), alternatives }
}

/** The flags of a rule that matter: all expressions are global and Unicode. */
const flagsOf = (index: number): string =>
  [...(maskRules[index]?.pattern.flags ?? '')].filter((flag) => 'im'.includes(flag)).join('')

/**
 * One expression for each set of flags. Inline flags, `(?i:...)`, would allow one for all, but V8 14.6 ignores them in alternatives once a
 * process has more than 16 MB of compiled code: secrets in capitals would remain.
 */
const compile = (indexes: readonly number[]): Expression[] =>
  [...Map.groupBy(indexes, flagsOf)].map(([flags, ofFlags]) => combine(flags, ofFlags))

const matchFrom = (text: string, { whole, alternatives }: Expression, start: number): Match | undefined => {
  whole.lastIndex = start
  const found = whole.exec(text)
  const alternative = found && alternatives.find(({ group }) => found[group] !== undefined)
  return found && alternative ? { found, alternative } : undefined
}

/** The matches of several expressions from left to right without overlaps; of those at one position, that of the first rule. */
const matchAll = (text: string, expressions: readonly Expression[]): Match[] => {
  const matches: Match[] = []
  const next = expressions.map((expression) => ({ expression, match: matchFrom(text, expression, 0) }))
  for (;;) {
    const [first] = next
      .flatMap(({ match }) => match ?? [])
      .toSorted((a, b) => a.found.index - b.found.index || a.alternative.index - b.alternative.index)
    if (!first) return matches
    matches.push(first)
    const end = first.found.index + first.found[0].length
    for (const cursor of next)
      if (cursor.match && cursor.match.found.index < end) cursor.match = matchFrom(text, cursor.expression, end)
  }
}

/** Rules share hints, and texts of one kind of log have few sets of hints, so that expressions are cached by set. */
const hints = [...new Set(maskRules.map(({ hint }) => hint))]
const hintOf = maskRules.map(({ hint }) => hints.indexOf(hint))
const expressions = new Map<string, readonly Expression[]>()
const maxExpressions = 500

const hintsIn = (text: string): number =>
  hints.reduce((bits, hint, index) => (hint.test(text) ? bits | (1 << index) : bits), 0)

/** The expressions of the rules from an index on whose hints a text has. */
const expressionsFor = (text: string, from: number): readonly Expression[] => {
  const bits = hintsIn(text)
  const key = `${from} ${bits}`
  const known = expressions.get(key)
  if (known) return known
  const compiled = compile(
    maskRules.flatMap((_, index) => (index >= from && bits & (1 << (hintOf[index] ?? 0)) ? [index] : [])),
  )
  if (expressions.size >= maxExpressions) expressions.clear()
  expressions.set(key, compiled)
  return compiled
}

const maskMatch = ({ found, alternative }: Match, names: Placeholders): string => {
  const [match] = found
  const { index, group, hasBefore, mask: maskValue } = alternative
  const [before = '', value = ''] = hasBefore ? [found[group + 1], found[group + 2]] : ['', match]
  const masked = maskValue(value, names)
  // A false match may be another kind of value or contain one; the text before a value may contain an address, as in an access log.
  if (masked === value) return mask(match, names, index + 1)
  return (before === '' ? '' : mask(before, names, 0)) + masked
}

const mask = (text: string, names: Placeholders, from: number): string => {
  let masked = ''
  let end = 0
  for (const match of matchAll(text, expressionsFor(text, from))) {
    const { index, 0: matched } = match.found
    masked += text.slice(end, index) + maskMatch(match, names)
    end = index + matched.length
  }
  return masked + text.slice(end)
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
