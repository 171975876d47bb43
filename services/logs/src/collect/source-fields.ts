import { isAbsolute } from 'node:path'
import { oneOf } from '@trellis/kit/documents'
import { z } from 'zod'
import { knownFormatNames } from '../formats/active-formats.ts'
import type { JoinRule } from '../formats/multiline.ts'
import { nearestNames } from '../formats/nearest-names.ts'
import { zoneOf } from '../formats/zone.ts'
import { maxSourceIdCharacters } from './source-entry.ts'

const maxPathCharacters = 4_096
const maxPatterns = 1_000
const maxGlobCharacters = 16_384
const maxDays = 36_500

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlCharacter = /[\u0000-\u001f\u007f]/

/** Text without control characters. Numbers are accepted as text, because YAML parses an unquoted `8080` as a number. */
export const text = (max: number) =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z
      .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
      .refine((value) => value.trim() !== '', 'must not be blank')
      .max(max, `must have at most ${max} characters`)
      .refine((value) => !controlCharacter.test(value), 'must not have control characters')
      .refine((value) => value.isWellFormed(), 'must be well-formed Unicode'),
  )

export const sourceIdText = text(maxSourceIdCharacters)

export const identifier = sourceIdText.refine(
  (value) => !value.includes('/'),
  'must not have a "/": it is part of URLs',
)

export const flag = z.boolean('must be true or false')

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}

export const days = wholeNumber(1, maxDays)
export const portNumber = wholeNumber(1, 65_535)

/** A list of texts; a single text is a list of one. */
export const texts = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(text(maxPathCharacters)).max(maxPatterns, `must have at most ${maxPatterns} items`),
)

/** Globs of a bounded length together, which bounds the time that matching a name with all of them takes. */
export const globs = texts.refine(
  (list) => list.reduce((sum, { length }) => sum + length, 0) <= maxGlobCharacters,
  `must have at most ${maxGlobCharacters} characters together`,
)

export const absolutePath = text(maxPathCharacters).refine(
  isAbsolute,
  'must be an absolute path, such as /var/log/syslog',
)

const similarFormats = (name: string): string => {
  const near = nearestNames(name, knownFormatNames())
  return near.length > 0 ? ` (similar: ${near.join(', ')})` : ''
}

export const formatName = sourceIdText.refine((value) => knownFormatNames().includes(value), {
  error: ({ input }) => `must be a known format, but is "${input}"${similarFormats(String(input))}`,
})

export const zoneName = sourceIdText.refine(
  (value) => zoneOf(value) !== undefined,
  'must be a time zone, such as Europe/Berlin or "+02:00"',
)

const joinRules = { until_header: 'untilHeader', traces: 'traces', never: 'never' } as const

export const joinRule = oneOf(Object.keys(joinRules) as (keyof typeof joinRules)[]).transform(
  (name): JoinRule => joinRules[name],
)
