import { createAnonymizer } from '../anonymize/anonymize-entry.ts'
import { createPseudonyms } from '../anonymize/pseudonyms.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Part } from './part.ts'

/** What is to become of all that is stored. Plain data, since it goes to the thread that keeps the entries. */
export type Rewrite =
  | { kind: 'anonymize'; key: Uint8Array }
  /** Drops what arrived before a moment, epoch milliseconds. */
  | { kind: 'expire'; before: number }

/** Entries that were changed or dropped; for `anonymize` also the distinct values that were replaced. */
export type Rewritten = { entries: number; addresses: number; usernames: number }

export type Rewriter = {
  /** Whether a part may hold anything to be changed, by what is known without reading its entries where that is possible. */
  concerns: (part: Part) => Promise<boolean>
  /** What an entry becomes; undefined for nothing. */
  change: (entry: StoredEntry) => StoredEntry | undefined
  /** So far, of parts that have been written. */
  result: () => Rewritten
  /** A part has been written. */
  keep: () => void
  /** A part was not written after all: it is done again. */
  drop: () => void
}

export const createRewriter = (rewrite: Rewrite): Rewriter =>
  rewrite.kind === 'anonymize' ? anonymizing(rewrite.key) : expiring(rewrite.before)

const anonymizing = (key: Uint8Array): Rewriter => {
  const pseudonyms = createPseudonyms(key)
  const anonymize = createAnonymizer(pseudonyms)
  let kept = 0
  let changed = 0
  return {
    concerns: async (part) => part.streams.some(({ entries, origin }) => entries > 0 && origin.anonymized !== true),
    change: (entry) => {
      if (entry.origin.anonymized === true) return entry
      const { entry: anonymized, isChanged } = anonymize(entry)
      if (isChanged) changed++
      // A template may have the name of somebody in it, also where this entry has none.
      return { ...anonymized, templateId: null }
    },
    result: () => ({ entries: kept, ...pseudonyms.counts() }),
    keep: () => {
      kept += changed
      changed = 0
    },
    drop: () => {
      changed = 0
    },
  }
}

const expiring = (before: number): Rewriter => {
  let kept = 0
  let dropped = 0
  return {
    concerns: async (part) => (await part.ingestTimes()).first < before,
    change: (entry) => {
      if (entry.ingestTime >= before) return entry
      dropped++
      return undefined
    },
    result: () => ({ entries: kept, addresses: 0, usernames: 0 }),
    keep: () => {
      kept += dropped
      dropped = 0
    },
    drop: () => {
      dropped = 0
    },
  }
}
