import type { StoredEntry } from '../entries/entry.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { createTimeSlices } from '../time-slices.ts'
import { keyPrefixOf } from './key-table.ts'
import type { Part } from './part.ts'

/** The entry with an id; the newest part is searched first. Throws when `signal`, which is checked between parts, is aborted. */
export const findEntry = async (
  parts: readonly Part[],
  entryId: string,
  signal?: { throwIfAborted: () => void },
): Promise<StoredEntry | undefined> => {
  const prefix = keyPrefixOf(keyOfEntryId(entryId))
  const slices = createTimeSlices('find')
  for (const part of parts.toReversed()) {
    signal?.throwIfAborted()
    if (slices.isOver()) await slices.pause()
    const candidates = await part.keyLookup()
    for (const document of candidates(prefix)) {
      if (document >= part.documents) continue
      const entry = await part.entry(document)
      if (entry.entryId === entryId) return entry
    }
  }
  return undefined
}
