import type { Origin, SenderDetails } from '../entries/entry.ts'
import { replaceAddresses } from './addresses.ts'
import { isPseudonym, type Pseudonyms } from './pseudonyms.ts'
import { userKeys } from './user-keys.ts'
import { replaceUsername, replaceUsernames } from './usernames.ts'

/** As much of an entry as can name somebody. */
export type Nameable = { origin: Origin; text: string; sender?: SenderDetails | null | undefined }

const isUserKey = (key: string): boolean => (userKeys as readonly string[]).includes(key.toLowerCase())

const deepest = 32

const anonymizeText = (text: string, pseudonyms: Pseudonyms): string =>
  replaceUsernames(replaceAddresses(text, pseudonyms), pseudonyms)

const anonymizeValue = (value: unknown, pseudonyms: Pseudonyms, depth = 0): unknown => {
  if (typeof value === 'string') return anonymizeText(value, pseudonyms)
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  if (Array.isArray(value)) return value.map((one) => anonymizeValue(one, pseudonyms, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (!isUserKey(key) || typeof one !== 'string') return [key, anonymizeValue(one, pseudonyms, depth + 1)]
      const readdressed = replaceAddresses(one, pseudonyms)
      return [key, isPseudonym(readdressed) ? readdressed : replaceUsername(readdressed, pseudonyms)]
    }),
  )
}

export type Anonymizer = <Entry extends Nameable>(entry: Entry) => { entry: Entry; isChanged: boolean }

/**
 * Gives entries with pseudonyms in their text, in the fields that their senders gave, and for addresses in the names of their sources, too;
 * marked as anonymized, whether anything was found or not. The id follows from what the entry says then: the id of the original would let
 * anybody who guesses an original prove it.
 */
export const createAnonymizer = (pseudonyms: Pseudonyms): Anonymizer => {
  /** One object an origin, as before: batches count on it. */
  const origins = new WeakMap<Origin, Origin>()
  const originOf = (origin: Origin): Origin => {
    const known = origins.get(origin)
    if (known) return known
    const made: Origin = { ...origin, sourceId: replaceAddresses(origin.sourceId, pseudonyms), anonymized: true }
    origins.set(origin, made)
    return made
  }
  return (entry) => {
    const text = anonymizeText(entry.text, pseudonyms)
    const origin = originOf(entry.origin)
    const fields = entry.sender?.fields
    const anonymizedFields = fields && (anonymizeValue(fields, pseudonyms) as Record<string, unknown>)
    return {
      isChanged:
        text !== entry.text ||
        origin.sourceId !== entry.origin.sourceId ||
        (fields !== undefined && JSON.stringify(fields) !== JSON.stringify(anonymizedFields)),
      entry: {
        ...entry,
        text,
        origin,
        ...(entry.sender && { sender: { ...entry.sender, ...(anonymizedFields && { fields: anonymizedFields }) } }),
      },
    }
  }
}
