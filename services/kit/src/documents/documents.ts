import { z } from 'zod'

/** The first problem of a document that people write: where it is, and a predicate to follow the field's name (`must be true or false`). */
export type DocumentProblem = { path: readonly (string | number)[]; message: string }

/** `search.env[0].value`; empty for the whole document. */
export const shownPath = (path: readonly (string | number)[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('')

/** An object without other fields: unknown ones are likely typos. */
export const closedObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `is not known; there are ${Object.keys(shape).join(', ')}` : 'must be an object',
  })

/** `local`, `local or ssh`, `file, journald or docker`. */
export const listed = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1')

/** One of some words; the message lists them. */
export const oneOf = <const Word extends string>(words: readonly Word[]) => z.enum(words, `must be ${listed(words)}`)

/** A field with a default for when it is absent or null. */
export const optional = <Schema extends z.ZodType, const Fallback>(schema: Schema, fallback: Fallback) =>
  schema.nullish().transform((value): z.output<Schema> | Fallback => value ?? fallback)

/** Paths in documents have no symbols. */
const pathOf = ({ path }: z.core.$ZodIssue): (string | number)[] =>
  path.map((step) => (typeof step === 'number' ? step : String(step)))

/** The problem inside an option of a union, if an option matches in part: it is more precise than that no option matches. */
const innermost = (issue: z.core.$ZodIssue): z.core.$ZodIssue => {
  const inner = issue.code === 'invalid_union' ? issue.errors.flat().find(({ path }) => path.length > 0) : undefined
  return inner === undefined ? issue : innermost({ ...inner, path: [...issue.path, ...inner.path] })
}

const problemOf = ({ issues }: z.ZodError): DocumentProblem => {
  const first = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (first === undefined) throw new TypeError('An error of zod has no issue.')
  const issue = innermost(first)
  const path = pathOf(issue)
  if (issue.code === 'unrecognized_keys') return { path: [...path, ...issue.keys.slice(0, 1)], message: issue.message }
  const isMissing = path.length > 0 && issue.code !== 'custom' && (issue.input ?? null) === null
  return { path, message: isMissing ? 'is missing' : issue.message }
}

/** Validates a document by its schema, whose messages are predicates. */
export const readDocument = <Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
): { value: z.output<Schema> } | { problem: DocumentProblem } => {
  const parsed = schema.safeParse(document, { reportInput: true })
  return parsed.success ? { value: parsed.data } : { problem: problemOf(parsed.error) }
}
