import { RE2JS } from 're2js'

/** Deeper groups are read as literal text. */
const maxDepth = 8
/** Members of all ranges of a glob; further ranges are read as literal text. */
const maxMembers = 1_000

export type GlobOptions = {
  /** Whether wildcards at the start of a name match a leading dot; false by default. */
  dot?: boolean
}

const hasWildcard = (segment: string): boolean => /[*?{]|\[.+\]|[@+]\(/.test(segment.replaceAll(/\\./g, ''))
const withoutEscapes = (text: string): string => text.replaceAll(/\\(.)/g, '$1')

/** The folder in which an absolute glob selects files, and the rest of it; an empty rest for a path without wildcards. */
export const splitGlob = (pattern: string): { base: string; glob: string } => {
  const segments = pattern.split('/')
  const first = segments.findIndex(hasWildcard)
  if (first < 0) return { base: withoutEscapes(pattern), glob: '' }
  return { base: withoutEscapes(segments.slice(0, first).join('/')) || '/', glob: segments.slice(first).join('/') }
}

export const isGlob = (path: string): boolean => splitGlob(path).glob !== ''

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The end of a group that begins before `at`: its closing character at the same depth, or -1. */
const closingOf = (pattern: string, at: number, open: string, close: string): number => {
  let depth = 1
  for (let index = at; index < pattern.length; index += 1) {
    const character = pattern[index]
    if (character === '\\') index += 1
    else if (character === open) depth += 1
    else if (character === close && --depth === 0) return index
  }
  return -1
}

/** The parts of a group's content between separators at its own depth. */
const partsOf = (content: string, separator: string): string[] => {
  const parts = ['']
  let depth = 0
  for (const [character] of content.matchAll(/\\.|[\s\S]/g)) {
    if (/[{(]/.test(character)) depth += 1
    if (/[})]/.test(character)) depth -= 1
    if (character === separator && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** The expression for `[a-z]`, and the index after it; undefined if it is no valid set of characters. */
const setAt = (
  pattern: string,
  at: number,
  { withoutDot }: { withoutDot: boolean },
): { expression: string; next: number } | undefined => {
  const found = /^\[([!^]?)((?:\\.|\[:[a-z]+:\]|[^\\\]])(?:\\.|\[:[a-z]+:\]|[^\\\]])*)\]/su.exec(pattern.slice(at))
  if (!found) return undefined
  const [whole, negation, content = ''] = found
  const members = content.replaceAll(/\\(.)|(\[:[a-z]+:\])|([[\]^\\])/gsu, (_, escaped, named, special) =>
    named ? named : `\\${escaped ?? special}`.replace(/^\\(?=[\w\s])/u, ''),
  )
  const excluded = withoutDot ? '^/.' : '^/'
  const expression = `[${negation ? excluded : ''}${members}]`
  try {
    RE2JS.compile(expression)
    return { expression, next: at + whole.length }
  } catch {
    return undefined
  }
}

/** The texts of a range, `1..12` or `a..f`; undefined for other content, and for more than `max` of them. */
const rangeOf = (content: string, max: number): string[] | undefined => {
  const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(content)
  const [, from, to] = numbers ?? /^([a-z])\.\.([a-z])$/i.exec(content) ?? []
  if (from === undefined || to === undefined) return undefined
  const read = (text: string) => (numbers ? Number(text) : text.charCodeAt(0))
  const write = (value: number) => (numbers ? String(value) : String.fromCharCode(value))
  const first = Math.min(read(from), read(to))
  const count = Math.max(read(from), read(to)) - first + 1
  return count > max ? undefined : Array.from({ length: count }, (_, index) => write(first + index))
}

const repetition: Record<string, string> = { '@': '', '?': '?', '*': '*', '+': '+' }

type Translation = { dot: boolean; membersLeft: number }

/** Translates a glob to an expression of RE2, which knows no lookahead: where a dot must not match depends on the place in the name. */
const translate = (pattern: string, translation: Translation, depth = 0, atStartOfName = true): string => {
  const { dot } = translation
  let expression = ''
  let isStart = atStartOfName
  const one = () => (isStart && !dot ? '[^/.]' : '[^/]')
  const name = dot ? '[^/]+' : '[^/.][^/]*'
  const alternatives = (parts: readonly string[]) =>
    parts.map((part) => translate(part, translation, depth + 1, isStart)).join('|')

  const takeGroup = (at: number): number | undefined => {
    if (depth >= maxDepth) return undefined
    const kind = pattern[at] ?? ''
    if (kind === '{') {
      const end = closingOf(pattern, at + 1, '{', '}')
      const content = pattern.slice(at + 1, end)
      const range = end < 0 ? undefined : rangeOf(content, translation.membersLeft)
      translation.membersLeft -= range?.length ?? 0
      const parts = end < 0 ? [] : (range ?? partsOf(content, ','))
      if (parts.length < 2) return undefined
      expression += `(?:${alternatives(parts)})`
      return end + 1
    }
    const quantifier = pattern[at + 1] === '(' ? repetition[kind] : undefined
    const end = quantifier === undefined ? -1 : closingOf(pattern, at + 2, '(', ')')
    if (end < 0) return undefined
    expression += `(?:${alternatives(partsOf(pattern.slice(at + 2, end), '|'))})${quantifier}`
    return end + 1
  }
  const takeStars = (at: number): number => {
    const end = at + (/^\*+/.exec(pattern.slice(at))?.[0].length ?? 1)
    const isWholeName = isStart && end - at >= 2 && (end === pattern.length || pattern[end] === '/')
    if (!isWholeName) expression += isStart && !dot ? '(?:[^/.][^/]*)?' : '[^/]*'
    else if (end === pattern.length) expression += `(?:${name}(?:/${name})*)?`
    else expression += `(?:${name}/)*`
    return isWholeName && end < pattern.length ? end + 1 : end
  }

  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at] ?? ''
    const afterGroup = /[{@?*+]/.test(character) ? takeGroup(at) : undefined
    const set = character === '[' ? setAt(pattern, at, { withoutDot: isStart && !dot }) : undefined
    if (afterGroup !== undefined) at = afterGroup
    else if (set) {
      expression += set.expression
      at = set.next
    } else if (character === '*') {
      const next = takeStars(at)
      const isFolders = pattern[next - 1] === '/'
      at = next
      if (isFolders) continue
    } else if (character === '?') {
      expression += one()
      at += 1
    } else {
      const isEscape = character === '\\' && at + 1 < pattern.length
      expression += literal(isEscape ? (pattern[at + 1] ?? '') : character)
      at += isEscape ? 2 : 1
    }
    isStart = character === '/'
  }
  return expression
}

/** Negations at the start of a glob, and what they negate. `!(a|b)` as a whole is the only group of its kind. */
const negated = (pattern: string): { isNegated: boolean; positive: string } => {
  if (pattern.startsWith('!(') && closingOf(pattern, 2, '(', ')') === pattern.length - 1)
    return { isNegated: true, positive: `@${pattern.slice(1)}` }
  const [marks = ''] = /^!*/.exec(pattern) ?? []
  return { isNegated: marks.length % 2 === 1, positive: pattern.slice(marks.length) }
}

/**
 * A matcher of paths or names for a glob, as in shells: `*` and `?` within a name, double stars for folders of any depth, `[a-z]`, `[!a-z]`,
 * `{a,b}`, `{1..9}`, the groups `@(a|b)`, `?(a)`, `*(a)` and `+(a)`, and a `!` before the whole. Other characters are literal. Takes time linear in
 * the length of the path, so neither the author of a glob nor that of a file name can stall the service.
 */
export const compileGlob = (pattern: string, { dot = false }: GlobOptions = {}): ((path: string) => boolean) => {
  const { isNegated, positive } = negated(pattern)
  const expression = RE2JS.compile(
    translate(positive.replace(/^\.\//, ''), { dot, membersLeft: maxMembers }),
    RE2JS.DOTALL,
  )
  return (path) => expression.testExact(path) !== isNegated
}
