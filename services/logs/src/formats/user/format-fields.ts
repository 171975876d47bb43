import { closedObject, listed, oneOf } from '@trellis/kit/documents'
import { messageOf } from '@trellis/kit/errors'
import { z } from 'zod'
import { severities } from '../../entries/severity-code.ts'
import { problemOfSource } from '../matcher.ts'
import { groupAt } from '../pattern-steps.ts'
import { type TimeLayout, timeLayouts } from '../time.ts'
import { timePieces } from '../time-scanner.ts'

const maxSamples = 50
const maxTextCharacters = 8_192
const maxPatternCharacters = 4_096
const maxListed = 100

export const text = z
  .string('must be a text')
  .min(1, 'must be a text')
  .max(maxTextCharacters, `may have ${maxTextCharacters} characters`)

export const flag = z.boolean('must be true or false')

const nameRule = 'must be 1 to 40 small letters, digits and hyphens, such as "shop-worker"'
export const name = z.string(nameRule).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, nameRule)

export const joins = oneOf(['untilHeader', 'untilBlank', 'traces', 'never'])

const headerGroups = ['time', 'instant', 'level', 'priority', 'status', 'message']

/** What is wrong with the shape of a pattern: see `PatternFormat`. */
const problemOfShape = (source: string, pattern: RegExp): string | undefined => {
  if (!source.startsWith('^')) return 'must begin with ^: a line is read from its start'
  if (groupAt(`(${source})`, 0).hasAlternatives) return 'must have its alternatives in a group, as in ^(?:one|other)'
  if (/\\k<|\\[1-9]/.test(source)) return 'must not refer back to its own groups (\\k<name> or \\1)'
  // With an alternative that is empty it matches anything, and tells its groups.
  const match = new RegExp(`${source}|`, pattern.flags).exec('')
  const names = Object.keys(match?.groups ?? {})
  const groups = (match?.length ?? 1) - 1
  if (groups > names.length)
    return 'must have names for its groups, (?<name>...); write (?:...) for one without a meaning'
  if (!names.some((each) => headerGroups.includes(each)))
    return `must have a group that is named ${listed(headerGroups)}`
  return problemOfSource(source)
}

const compiled = (source: string): RegExp | { problem: string } => {
  try {
    const pattern = new RegExp(source, 'u')
    const problem = problemOfShape(source, pattern)
    return problem === undefined ? pattern : { problem }
  } catch (error) {
    return { problem: `is no regular expression: ${messageOf(error).replace(/^.*?: (?=[^:]*$)/, '')}` }
  }
}

export const pattern = text
  .max(maxPatternCharacters, `may have ${maxPatternCharacters} characters`)
  .transform((source, context) => {
    const made = compiled(source)
    if (made instanceof RegExp) return made
    context.issues.push({ code: 'custom', message: made.problem, input: source })
    return z.NEVER
  })

const layoutNames = [...Object.keys(timeLayouts), 'numericDate', 'monthFirstDate', 'epoch', 'moment', 'tai64n']
const isLayout = (value: unknown): value is Extract<TimeLayout, string> =>
  typeof value === 'string' && layoutNames.includes(value)
const layoutRule = `must be ${listed(layoutNames)}, or a list of pieces such as [day, month, year, hour, minute]`

const layoutName = z.custom<Extract<TimeLayout, string>>(isLayout, layoutRule)
const layoutPieces = z
  .array(z.enum(timePieces, `must be pieces out of ${timePieces.join(', ')}`))
  .min(1, layoutRule)
  .max(timePieces.length, `may have ${timePieces.length} pieces`)

export const timeLayout = z.union([layoutName, layoutPieces], layoutRule)

const severity = z.enum(severities, `must be ${severities.join(', ')} or null`).nullable()

const levelsRule = `must be words and what they mean, such as {OOPS: ERROR}, at most ${maxListed}`

export const levels = z
  .record(z.string(), severity, levelsRule)
  .refine((value) => Object.keys(value).length <= maxListed, levelsRule)
  .transform((value) => new Map(Object.entries(value).map(([word, meant]) => [word.trim().toLowerCase(), meant])))

/** One text or a list of them. */
export const paths = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(text).max(maxListed, `may have ${maxListed} keys`),
)

const textOrNumber = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text)

const timeRule = 'must be a time such as 2024-05-01T10:20:30.000Z, or null'
const isoTime = z
  .string(timeRule)
  .refine((value) => !Number.isNaN(Date.parse(value)), timeRule)
  .transform((value) => new Date(value).toISOString())
  .nullable()

const sample = closedObject({
  line: text,
  time: isoTime.exactOptional(),
  severity: severity.exactOptional(),
  message: text.exactOptional(),
  fields: z.record(z.string(), textOrNumber, 'must be names and texts').exactOptional(),
})

export const samples = z
  .array(sample, 'must be a list of at least one line with what comes out of it')
  .min(1, 'must be a list of at least one line with what comes out of it')
  .max(maxSamples, `may be ${maxSamples}`)
