import { RE2JS } from 're2js'

/** A user's expression, as data that can be sent to threads. */
export type LinearExpression = { kind: 'linear'; source: string }

/** Maximum size of the compiled program, which determines the cost of matching. */
const maxInstructions = 10_000

const compiled = new WeakMap<LinearExpression, RE2JS>()

const compile = (source: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(source), RE2JS.CASE_INSENSITIVE)

/** The problem of an expression, as the end of a sentence; undefined if it is valid. */
export const problemOfExpression = (source: string): string | undefined => {
  try {
    const size = compile(source).programSize()
    return size > maxInstructions ? 'repeats too much: its expanded repetitions exceed the limit' : undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return `is not a regular expression for linear-time matching, which supports neither lookaround nor backreferences (${reason})`
  }
}

/**
 * Whether a text matches an expression, ignoring case. Takes time linear in the length of the text, whatever both are: neither the author of a
 * pattern nor that of a line can stall ingestion.
 */
export const matchesLinearly = (expression: LinearExpression, text: string): boolean => {
  const known = compiled.get(expression) ?? compile(expression.source)
  compiled.set(expression, known)
  return known.test(text)
}
