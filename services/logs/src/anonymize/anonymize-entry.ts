import type { Origin, SenderDetails } from '../entries/entry.ts'
import { replaceAddresses } from './addresses.ts'
import { isPseudonym, type Pseudonyms } from './pseudonyms.ts'
import { userKeys } from './user-keys.ts'
import { replaceUsername, replaceUsernames } from './usernames.ts'

/** The parts of an entry that can name a person. */
export type IdentifiableEntry = { origin: Origin; text: string; sender?: SenderDetails | null | undefined }

const isUserKey = (key: string): boolean => (userKeys as readonly string[]).includes(key.toLowerCase())

const maxDepth = 32

const anonymizeText = (text: string, pseudonyms: Pseudonyms): string =>
  replaceUsernames(replaceAddresses(text, pseudonyms), pseudonyms)

const anonymizeValue = (value: unknown, pseudonyms: Pseudonyms, depth = 0): unknown => {
  if (typeof value === 'string') return anonymizeText(value, pseudonyms)
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => anonymizeValue(item, pseudonyms, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (!isUserKey(key) || typeof item !== 'string') return [key, anonymizeValue(item, pseudonyms, depth + 1)]
      const readdressed = replaceAddresses(item, pseudonyms)
      return [key, isPseudonym(readdressed) ? readdressed : replaceUsername(readdressed, pseudonyms)]
    }),
  )
}

export type Anonymizer = <Entry extends IdentifiableEntry>(entry: Entry) => { entry: Entry; isChanged: boolean }

/**
 * Replaces names by pseudonyms in the text and the sender's fields, and addresses in the source id, and marks entries as anonymized even if
 * nothing was replaced. The id must be derived from the result: with the original's id anyone could verify a guess of the original.
 */
export const createAnonymizer = (pseudonyms: Pseudonyms): Anonymizer => {
  /** Preserves identity: entries of one origin share one object, which batches rely on. */
  const origins = new WeakMap<Origin, Origin>()
  const originOf = (origin: Origin): Origin => {
    const known = origins.get(origin)
    if (known) return known
    const anonymized: Origin = { ...origin, sourceId: replaceAddresses(origin.sourceId, pseudonyms), anonymized: true }
    origins.set(origin, anonymized)
    return anonymized
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
