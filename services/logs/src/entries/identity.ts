import { hash } from 'node:crypto'

export type IdentityParts = { sourceId: string; sequence: number; timestampIso: string | null; text: string }

/**
 * The id of an entry: the first 32 hex digits of SHA-256 over source, sequence, time (or nothing) and text in UTF-8, each terminated by a NUL.
 * Reading the same entry twice yields the same id; equal lines at different positions have different ids.
 */
export const entryIdOf = (parts: IdentityParts): string => hash('sha256', identityOf(parts), 'hex').slice(0, 32)

const identityOf = ({ sourceId, sequence, timestampIso, text }: IdentityParts): string =>
  `${sourceId}\0${sequence}\0${timestampIso ?? ''}\0${text}\0`

const hexDigits = /^[0-9a-f]{32}$/

/** The 16 bytes that index an id: its own digits, or a digest of a sender's id in another form. */
export const keyOfEntryId = (entryId: string): string =>
  hexDigits.test(entryId) ? entryId : hash('sha256', entryId, 'hex').slice(0, 32)

/** Writes the 16 bytes of `keyOfEntryId(entryIdOf(parts))` without creating the id. */
export const writeEntryKey = (target: Buffer, offset: number, parts: IdentityParts): void => {
  // In latin1 a character is a byte, which is the fastest output encoding of the digest.
  target.write(hash('sha256', identityOf(parts), 'latin1'), offset, 16, 'latin1')
}
