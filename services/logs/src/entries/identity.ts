import { hash } from 'node:crypto'

export type IdentityParts = { sourceId: string; sequence: number; timestampIso: string | null; text: string }

/**
 * The id of an entry: the first 32 hex digits of SHA-256 over source, sequence, time (or nothing) and text in UTF-8, each ended by a NUL.
 * The same entry read twice has the same id; equal lines at different places have different ones.
 */
export const entryIdOf = ({ sourceId, sequence, timestampIso, text }: IdentityParts): string =>
  hash('sha256', `${sourceId}\0${sequence}\0${timestampIso ?? ''}\0${text}\0`, 'hex').slice(0, 32)

const hexDigits = /^[0-9a-f]{32}$/

/** The 16 bytes an id is looked up by: its own digits, or for a sender's own id of another form a digest of it. */
export const keyOfEntryId = (entryId: string): string =>
  hexDigits.test(entryId) ? entryId : hash('sha256', entryId, 'hex').slice(0, 32)
