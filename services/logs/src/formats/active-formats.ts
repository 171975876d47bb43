import type { LogFormat } from './format.ts'
import { logFormats } from './library/mod.ts'

/** The format name of a line that no format recognises. */
export const plainFormat = 'plain'
/** The format name of a message of an exported journal (`journalctl -o export`) that no format recognises. Detected by content only. */
export const journalExportFormat = 'journal-export'

/** Formats in the order in which lines are tried with them, and by name. */
export type FormatSet = { all: readonly LogFormat[]; byName: ReadonlyMap<string, LogFormat> }

/** A user's formats come before the built-in ones. */
export const formatSetOf = (userFormats: readonly LogFormat[]): FormatSet => {
  const all = [...userFormats, ...logFormats]
  return { all, byName: new Map(all.map((format) => [format.name, format])) }
}

/** A user's formats, with a version that increases with each change. */
export type UserFormatSet = { version: number; formats: readonly LogFormat[] }

// Entries are parsed again in each thread that shows them, so each thread has one set of formats.
let user: UserFormatSet = { version: 0, formats: [] }
let active = formatSetOf([])

/** The formats that parse lines in this thread. */
export const activeFormats = (): FormatSet => active
/** Those of them that are a user's. */
export const activeUserFormats = (): UserFormatSet => user

/** Replaces the user's formats of this thread; files that are opened later are parsed with them. Does nothing for the version that is active. */
export const useFormats = (given: UserFormatSet): void => {
  if (given.version === user.version) return
  user = given
  active = formatSetOf(given.formats)
}

/** All names that a file's format may have. */
export const knownFormatNames = (): readonly string[] => [...active.byName.keys(), journalExportFormat, plainFormat]
