import type { StoredEntry } from '../entries/entry.ts'
import { keyOfEntryId } from '../entries/identity.ts'
import { severityOfCode } from '../entries/severity-code.ts'
import { once } from '../once.ts'
import type { AmendmentIndex, Concern, SeverityOverride } from './amendments.ts'
import { type Bitmap, createBitmap, hasBit, setBit } from './bitmap.ts'
import { lengthOfCode } from './document-length.ts'
import { keyPrefixOf } from './key-table.ts'
import { type Occurrences, onlyVisible } from './occurrences.ts'
import type { Part, StreamSummary } from './part.ts'
import { type SeverityColumn, severityAt } from './severity-column.ts'

/** A part as of now: without entries of deleted sources, with overridden severities. */
export type AmendedPart = Part & {
  /** Whether some of its entries are hidden, so that rewriting it makes it smaller. */
  readonly hides: boolean
  /** The overrides of its entries. */
  overridden: () => Promise<SeverityOverride[]>
}

const emptied = (stream: StreamSummary): StreamSummary => ({
  ...stream,
  entries: 0,
  words: 0,
  bySeverity: [0, 0, 0, 0],
})

/** Copies of the bitmaps in which overridden documents have their new severities. */
const withOverrides = (
  severities: SeverityColumn,
  overrides: ReadonlyMap<number, SeverityOverride>,
): SeverityColumn => {
  const [critical, error, warn] = severities.map((bitmap) => bitmap.slice())
  if (!critical || !error || !warn) return severities
  const moved = [critical, error, warn] as const
  for (const [document, { severity }] of overrides) {
    moved.forEach((bitmap, index) => {
      const word = document >>> 5
      bitmap[word] = (bitmap[word] ?? 0) & ~(1 << (document & 31))
      if (severity === index + 1) setBit(bitmap, document)
    })
  }
  return moved
}

const overlay = (entry: StoredEntry, override: SeverityOverride | undefined): StoredEntry =>
  override ? { ...entry, severity: severityOfCode(override.severity) } : entry

/** Applies amendments to a part. Documents keep their numbers; hidden ones are in no answer and no count. */
export const amendPart = (part: Part, { hidden, overrides }: Concern): AmendedPart => {
  const hides = hidden.includes(true)
  const streams = part.streams.map((stream, number) => (hidden[number] === true ? emptied(stream) : stream))

  const visible = once(async (): Promise<Bitmap | undefined> => {
    if (!hides) return undefined
    const streamOf = await part.streamOf()
    const bitmap = createBitmap(part.documents)
    for (let document = 0; document < part.documents; document++)
      if (hidden[streamOf[document] ?? 0] !== true) setBit(bitmap, document)
    return bitmap
  })
  const corpus = once(async () => {
    if (!hides) return part.corpus()
    const documents = streams.reduce((sum, { entries }) => sum + entries, 0)
    if (streams.every(({ words }) => words !== undefined))
      return { documents, words: streams.reduce((sum, { words = 0 }) => sum + words, 0) }
    // Older segments have no word counts per stream; the stored lengths are exact to within a few percent.
    const [lengthCodes, seen] = await Promise.all([part.lengthCodes(), visible()])
    let words = 0
    for (let document = 0; document < part.documents; document++)
      if (!seen || hasBit(seen, document)) words += lengthOfCode[lengthCodes[document] ?? 0] ?? 0
    return { documents, words }
  })
  const only = async (occurrences: Occurrences | undefined): Promise<Occurrences | undefined> => {
    const seen = await visible()
    return occurrences && seen ? onlyVisible(occurrences, seen) : occurrences
  }
  const candidates = once(async () => {
    const [lookup, seen] = await Promise.all([part.keyLookup(), visible()])
    return (prefix: number) => {
      const found = lookup(prefix)
      return seen && found.length > 0 ? found.filter((document) => hasBit(seen, document)) : found
    }
  })
  const overrideOf = once(async (): Promise<ReadonlyMap<number, SeverityOverride>> => {
    const found = new Map<number, SeverityOverride>()
    if (overrides.length === 0) return found
    const lookup = await candidates()
    for (const override of overrides) {
      for (const document of lookup(keyPrefixOf(override.key))) {
        if (document >= part.documents) continue
        if (keyOfEntryId((await part.entry(document)).entryId) === override.key) found.set(document, override)
      }
    }
    return found
  })
  const severities = once(async () => {
    const [before, overridden] = await Promise.all([part.severities(), overrideOf()])
    return overridden.size === 0 ? before : withOverrides(before, overridden)
  })
  const summaries = once(async () => {
    const overridden = await overrideOf()
    if (overridden.size === 0) return streams
    const [streamOf, graded] = await Promise.all([part.streamOf(), part.severities()])
    const counted = streams.map((stream) => ({
      ...stream,
      bySeverity: [...stream.bySeverity] as StreamSummary['bySeverity'],
    }))
    for (const [document, { severity }] of overridden) {
      const counts = counted[streamOf[document] ?? 0]?.bySeverity
      if (!counts) continue
      const before = severityAt(graded, document)
      counts[before] = (counts[before] ?? 0) - 1
      counts[severity] = (counts[severity] ?? 0) + 1
    }
    return counted
  })

  return {
    ...part,
    hides,
    streams,
    summaries,
    corpus,
    overridden: async () => [...(await overrideOf()).values()],
    visible,
    severities,
    lookup: async (word) => only(await part.lookup(word)),
    frequency: async (word) => (hides ? ((await only(await part.lookup(word)))?.total ?? 0) : part.frequency(word)),
    lookupPrefix: async (prefix) => only(await part.lookupPrefix(prefix)),
    // What is hidden or overridden may change while the underlying part does not, so no results are cached.
    memoize: undefined,
    keyLookup: candidates,
    entry: async (document) => {
      const [entry, overridden] = await Promise.all([part.entry(document), overrideOf()])
      return overlay(entry, overridden.get(document))
    },
    entries: async (documents) => {
      const [entries, overridden] = await Promise.all([part.entries(documents), overrideOf()])
      return entries.map((entry, index) => overlay(entry, overridden.get(documents[index] ?? 0)))
    },
  }
}

const signatureOf = ({ hidden, overrides }: Concern): string =>
  `${hidden.map(Number).join('')} ${overrides.map(({ key, position }) => `${key}@${position}`).join(' ')}`

/** Amends parts, and returns the same amended part as long as its amendments are unchanged, so that its memoized results are reused. */
export const createAmender = () => {
  const known = new WeakMap<Part, { signature: string; amended: AmendedPart }>()
  return (part: Part, position: number, index: AmendmentIndex): Part | AmendedPart => {
    const concern = index.concernOf(part, position)
    if (!concern) return part
    const signature = signatureOf(concern)
    const before = known.get(part)
    if (before?.signature === signature) return before.amended
    const amended = amendPart(part, concern)
    known.set(part, { signature, amended })
    return amended
  }
}

export const isAmended = (part: Part): part is AmendedPart => 'hides' in part

/** Whether some entries of a part are hidden. */
export const hidesSome = (part: Part): boolean => isAmended(part) && part.hides

/** The overrides of the entries of parts, which rewriting these parts folds in. */
export const overriddenIn = async (parts: readonly Part[]): Promise<SeverityOverride[]> =>
  (await Promise.all(parts.map((part) => (isAmended(part) ? part.overridden() : [])))).flat()
