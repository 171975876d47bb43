import { invalidField } from '@trellis/kit/errors'

export const maxSourceIdCharacters = 253
const maxEntryIdCharacters = 128

/** Control characters, such as U+0000, and lone surrogates: databases cannot store them, and URLs cannot contain them. */
const unusable = /[\p{Cc}\p{Cs}]/u

/** Whether a text has neither control characters nor lone surrogates. */
export const isUsable = (text: string): boolean => !unusable.test(text)

const problemOf = (name: string, value: unknown, max: number): string | undefined => {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max && isUsable(value)) return undefined
  return `${name} must be text of at most ${max} characters, not blank and without control characters or broken Unicode.`
}

/** Describes why a value is not a valid source id; undefined if it is. */
export const sourceIdProblem = (value: unknown): string | undefined =>
  problemOf('source_id', value, maxSourceIdCharacters)

/** Describes why a value is not a valid entry id; undefined if it is. */
export const entryIdProblem = (value: unknown): string | undefined => problemOf('entry_id', value, maxEntryIdCharacters)

/** Throws `invalid` for an invalid source id. */
export const checkSourceId = (value: unknown): string => {
  const problem = sourceIdProblem(value)
  if (problem !== undefined || typeof value !== 'string')
    throw invalidField(['body', 'source_id'], problem ?? 'source_id is missing.')
  return value
}

/** Whether databases store a text unchanged: U+0000 is not allowed, and a lone surrogate is replaced by U+FFFD. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
