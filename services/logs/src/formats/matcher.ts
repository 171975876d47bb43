import { RE2JS } from 're2js'
import type { PatternFormat } from './format.ts'

/** The whole of a match and its groups, in their order; null where the text does not match. */
export type Matcher = { exec: (text: string) => ArrayLike<string | undefined> | null }

/** Instructions that a pattern may become: what a character of a line costs at worst grows with them. */
const maxInstructions = 2_000

const compile = (source: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(source))

/** Why a pattern of a user cannot be matched in linear time, as the end of a sentence about it; undefined for one that can. */
export const problemOfSource = (source: string): string | undefined => {
  try {
    const isTooLong = compile(source).programSize() > maxInstructions
    return isTooLong ? 'repeats too much: with its repeats written out it is too long' : undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return `cannot be matched in linear time, which knows neither looking around nor back references (${reason})`
  }
}

const linear = (source: string): Matcher => {
  const expression = compile(source)
  const groups = expression.groupCount()
  return {
    exec: (text) => {
      const matcher = expression.matcher(text)
      if (!matcher.find()) return null
      return Array.from({ length: groups + 1 }, (_, group) => matcher.group(group) ?? undefined)
    },
  }
}

/**
 * What matches a format's pattern, or a part of it. Patterns that are built in are checked with the library and use the engine of the language;
 * those of users use one whose time grows no faster than the line, so that no pattern and no line holds up the others.
 */
export const matcherOf = ({ isOfUser }: Pick<PatternFormat, 'isOfUser'>, pattern: RegExp): Matcher =>
  isOfUser === true ? linear(pattern.source) : pattern
