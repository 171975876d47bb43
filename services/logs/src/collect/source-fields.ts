import { isAbsolute } from 'node:path'
import { knownFormatNames } from '../formats/in-force.ts'
import type { JoinRule } from '../formats/multiline.ts'
import { nearestNames } from '../formats/nearest-names.ts'
import { zoneOf } from '../formats/zone.ts'
import { maxSourceIdCharacters } from './source-entry.ts'

/** Reads one value of the sources file, `undefined` where it is absent; throws FieldProblem. */
export type FieldReader<Value> = (value: unknown) => Value

/** A sentence about a value that goes after its name: `must be a number of days`. */
export class FieldProblem extends Error {
  override name = 'FieldProblem'
}

const maxPathCharacters = 4_096
const maxPatterns = 1_000
const maxDays = 36_500

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

export const required =
  <Value>(reader: FieldReader<Value>): FieldReader<Value> =>
  (value) => {
    if (isAbsent(value)) throw new FieldProblem('is missing')
    return reader(value)
  }

export const otherwise =
  <Value, const Fallback>(fallback: Fallback, reader: FieldReader<Value>): FieldReader<Value | Fallback> =>
  (value) =>
    isAbsent(value) ? fallback : reader(value)

/** Text without control characters. Numbers count as text: YAML takes an unquoted `8080` for one. */
export const text =
  (max: number): FieldReader<string> =>
  (value) => {
    const given = typeof value === 'number' ? String(value) : value
    if (typeof given !== 'string' || given.trim() === '') throw new FieldProblem('must be text')
    if (given.length > max) throw new FieldProblem(`must have at most ${max} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(given)) throw new FieldProblem('must not have control characters')
    if (!given.isWellFormed()) throw new FieldProblem('must be well-formed Unicode')
    return given
  }

export const identifier: FieldReader<string> = (value) => {
  const given = text(maxSourceIdCharacters)(value)
  if (given.includes('/')) throw new FieldProblem('must not have a "/": it is part of addresses')
  return given
}

export const sourceIdText = text(maxSourceIdCharacters)

export const flag: FieldReader<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new FieldProblem('must be true or false')
  return value
}

const wholeNumber =
  (min: number, max: number): FieldReader<number> =>
  (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      throw new FieldProblem(`must be a whole number from ${min} to ${max}`)
    return value
  }

export const days = wholeNumber(1, maxDays)
export const portNumber = wholeNumber(1, 65_535)

export const oneOf =
  <const Word extends string>(...words: Word[]): FieldReader<Word> =>
  (value) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw new FieldProblem(`must be ${words.join(', ').replace(/, ([^,]*)$/, ' or $1')}`)
    return found
  }

/** A list of texts; a single text is a list of one. */
export const texts: FieldReader<readonly string[]> = (value) => {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > maxPatterns) throw new FieldProblem(`must have at most ${maxPatterns} items`)
  return list.map(text(maxPathCharacters))
}

export const absolutePath: FieldReader<string> = (value) => {
  const given = text(maxPathCharacters)(value)
  if (!isAbsolute(given)) throw new FieldProblem('must be an absolute path, such as /var/log/syslog')
  return given
}

const meantFormat = (given: string): string => {
  const near = nearestNames(given, knownFormatNames())
  return near.length > 0 ? ` (like it are ${near.join(', ')})` : ''
}

export const formatName: FieldReader<string> = (value) => {
  const given = text(maxSourceIdCharacters)(value)
  if (!knownFormatNames().includes(given))
    throw new FieldProblem(`must be a format that is known here, but is "${given}"${meantFormat(given)}`)
  return given
}

export const zoneName: FieldReader<string> = (value) => {
  const given = text(maxSourceIdCharacters)(value)
  if (!zoneOf(given)) throw new FieldProblem('must be a time zone, such as Europe/Berlin or "+02:00"')
  return given
}

const joinRules: Record<string, JoinRule> = { until_header: 'untilHeader', traces: 'traces', never: 'never' }

export const joinRule: FieldReader<JoinRule> = (value) => {
  const rule = typeof value === 'string' ? joinRules[value] : undefined
  if (!rule)
    throw new FieldProblem(
      `must be ${Object.keys(joinRules)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}`,
    )
  return rule
}
