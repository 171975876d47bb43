import { RE2JS } from 're2js'

/** An expression of a user, as data that threads can be given. */
export type LinearExpression = { kind: 'linear'; source: string }

/** Instructions that an expression may become: what it costs grows with them. */
const maxInstructions = 10_000

const compiled = new WeakMap<LinearExpression, RE2JS>()

const compile = (source: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(source), RE2JS.CASE_INSENSITIVE)

/** What is wrong with an expression, as the end of a sentence about it; undefined for one that can be used. */
export const problemOfExpression = (source: string): string | undefined => {
  try {
    const size = compile(source).programSize()
    return size > maxInstructions ? 'repeats too much: with its repeats written out it is too long' : undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return `is no regular expression that is matched in linear time, which knows neither looking around nor back references (${reason})`
  }
}

/**
 * Whether a text has what an expression says, in any letters. The time it takes grows no faster than the text, whatever both are: nobody who writes a pattern, or a line, can stop a log from being taken in.
 */
export const matchesLinearly = (expression: LinearExpression, text: string): boolean => {
  const known = compiled.get(expression) ?? compile(expression.source)
  compiled.set(expression, known)
  return known.test(text)
}
