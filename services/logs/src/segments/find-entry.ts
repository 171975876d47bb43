import type { StoredEntry } from '../entries/entry.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { keyPrefixOf } from './key-table.ts'
import type { Part } from './part.ts'

/** The entry with an id, looked for in the newest part first. */
export const findEntry = async (parts: readonly Part[], entryId: string): Promise<StoredEntry | undefined> => {
  const prefix = keyPrefixOf(keyOfEntryId(entryId))
  for (const part of parts.toReversed()) {
    const candidates = await part.keyLookup()
    for (const document of candidates(prefix)) {
      if (document >= part.documents) continue
      const entry = await part.entry(document)
      if (entry.entryId === entryId) return entry
    }
  }
  return undefined
}
