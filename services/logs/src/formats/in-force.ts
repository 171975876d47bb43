import type { LogFormat } from './format.ts'
import { logFormats } from './library/mod.ts'

/** The name of a line that no format knows. */
export const plainFormat = 'plain'
/** That of a message of a journal that was exported (`journalctl -o export`), where no format knows it. Told by content alone. */
export const journalExportFormat = 'journal-export'

/** Formats that lines are tried with, in their order, and found by their names. */
export type FormatSet = { all: readonly LogFormat[]; byName: ReadonlyMap<string, LogFormat> }

/** A user's formats come before those that are built in. */
export const formatSetOf = (userFormats: readonly LogFormat[]): FormatSet => {
  const all = [...userFormats, ...logFormats]
  return { all, byName: new Map(all.map((format) => [format.name, format])) }
}

/** Those of a user, with a number that tells one state from the next. */
export type UserFormatSet = { version: number; formats: readonly LogFormat[] }

// An entry is read again wherever it is shown, so a thread has one set of formats, as it has one library.
let user: UserFormatSet = { version: 0, formats: [] }
let inForce = formatSetOf([])

export const formatsInForce = (): FormatSet => inForce
export const userFormatsInForce = (): UserFormatSet => user

/** Puts a user's formats to use in this thread: what is opened from now on is read with them. The same version again changes nothing. */
export const useFormats = (given: UserFormatSet): void => {
  if (given.version === user.version) return
  user = given
  inForce = formatSetOf(given.formats)
}

/** All names that a file's format may be called by. */
export const knownFormatNames = (): readonly string[] => [...inForce.byName.keys(), journalExportFormat, plainFormat]
