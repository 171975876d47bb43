import { createAnonymizer } from '../anonymize/anonymize-entry.ts'
import { createPseudonyms } from '../anonymize/pseudonyms.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Part } from './part.ts'

/** A rewrite of all stored entries. Plain data, because it is sent to the thread that stores the entries. */
export type Rewrite =
  | { kind: 'anonymize'; key: Uint8Array }
  /** Drops entries that arrived before a moment, epoch milliseconds. */
  | { kind: 'expire'; before: number }

/** The number of entries that were changed or dropped; for `anonymize` also of distinct values that were replaced. */
export type Rewritten = { entries: number; addresses: number; usernames: number }

export type Rewriter = {
  /** Whether a part may have entries to change, decided without reading its entries where possible. */
  concerns: (part: Part) => Promise<boolean>
  /** The new entry; undefined to drop it. */
  change: (entry: StoredEntry) => StoredEntry | undefined
  /** The result so far, of parts that have been written. */
  result: () => Rewritten
  /** Counts the changes of a part that has been written. */
  commit: () => void
  /** Discards the changes of a part that was not written and will be repeated. */
  discard: () => void
}

export const createRewriter = (rewrite: Rewrite): Rewriter =>
  rewrite.kind === 'anonymize' ? anonymizing(rewrite.key) : expiring(rewrite.before)

const anonymizing = (key: Uint8Array): Rewriter => {
  const pseudonyms = createPseudonyms(key)
  const anonymize = createAnonymizer(pseudonyms)
  let committed = 0
  let changed = 0
  return {
    concerns: async (part) => part.streams.some(({ entries, origin }) => entries > 0 && origin.anonymized !== true),
    change: (entry) => {
      if (entry.origin.anonymized === true) return entry
      const { entry: anonymized, isChanged } = anonymize(entry)
      if (isChanged) changed++
      // A template may contain personal data even if this entry does not.
      return { ...anonymized, templateId: null }
    },
    result: () => ({ entries: committed, ...pseudonyms.counts() }),
    commit: () => {
      committed += changed
      changed = 0
    },
    discard: () => {
      changed = 0
    },
  }
}

const expiring = (before: number): Rewriter => {
  let committed = 0
  let dropped = 0
  return {
    concerns: async (part) => (await part.ingestTimes()).first < before,
    change: (entry) => {
      if (entry.ingestTime >= before) return entry
      dropped++
      return undefined
    },
    result: () => ({ entries: committed, addresses: 0, usernames: 0 }),
    commit: () => {
      committed += dropped
      dropped = 0
    },
    discard: () => {
      dropped = 0
    },
  }
}
