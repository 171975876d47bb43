import { invalidField } from '@trellis/kit/errors'

export const maxSourceIdCharacters = 253
const maxEntryIdCharacters = 128

/** Control characters, U+0000 first of all, and halves of surrogate pairs: databases do not keep them, and no address names them. */
const unusable = /[\p{Cc}\p{Cs}]/u

const problemOf = (name: string, value: unknown, max: number): string | undefined => {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max && !unusable.test(value)) return undefined
  return `${name} must be text of at most ${max} characters, not blank and without control characters or broken Unicode.`
}

/** A sentence about what is no source id; undefined for one. */
export const sourceIdProblem = (value: unknown): string | undefined =>
  problemOf('source_id', value, maxSourceIdCharacters)

/** A sentence about what is no id of an entry; undefined for one. */
export const entryIdProblem = (value: unknown): string | undefined => problemOf('entry_id', value, maxEntryIdCharacters)

/** Throws `invalid` for what is no source id. */
export const checkSourceId = (value: unknown): string => {
  const problem = sourceIdProblem(value)
  if (problem !== undefined || typeof value !== 'string')
    throw invalidField(['body', 'source_id'], problem ?? 'source_id is missing.')
  return value
}

/** Whether databases keep a text as it is: none should hold U+0000, and half of a surrogate pair comes back as U+FFFD. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
