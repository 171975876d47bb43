import type { StoredEntry } from '../entries/entry.ts'
import { isOutOfOrder, isTruncated } from '../entries/entry-batch.ts'
import { orderFields } from '../entries/entry-order.ts'
import { severityOfCode } from '../entries/severity-code.ts'
import { bucketColumnOf } from './count-columns.ts'
import type { MemoryIndex } from './memory-index.ts'
import { columnOf, extentOf } from './number-column.ts'
import { mergePostings, occurrencesOf, type Postings } from './occurrences.ts'
import type { Part, StreamSummary, Times } from './part.ts'
import { severityAt } from './severity-column.ts'
import { spansOf } from './time-spans.ts'
import { encodeWord } from './tokens.ts'

/** A flag of stored entries in addition to those of a batch: the time is the entry's own, not that of its arrival. */
export const hasOwnTime = 64

const textOf = (index: MemoryIndex, document: number): string =>
  index.text.toString(
    'utf8',
    document === 0 ? 0 : index.columns.textEnds[document - 1],
    index.columns.textEnds[document],
  )

/** The id of a document: the sender's if it has one, else the hex digits of its key. */
const entryIdAt = (index: MemoryIndex, document: number): string =>
  index.sender.get(document)?.entryId ?? Buffer.from(index.columns.keys.buffer, document * 16, 16).toString('hex')

export const entryAt = (index: MemoryIndex, document: number): StoredEntry => {
  const { columns, streams, patternSets } = index
  const stream = streams[columns.streamOf[document] ?? 0]
  if (!stream || document >= index.documents) throw new RangeError(`There is no document ${document}.`)
  const flags = columns.flags[document] ?? 0
  return {
    entryId: entryIdAt(index, document),
    origin: stream.origin,
    ...orderFields(columns.sequences[document] ?? 0),
    time: (flags & hasOwnTime) === 0 ? null : (columns.times[document] ?? 0),
    ingestTime: columns.ingestTimes[document] ?? 0,
    effectiveTime: columns.times[document] ?? 0,
    severity: severityOfCode(severityAt(columns.severities, document)),
    repeatCount: columns.repeats[document] ?? 1,
    text: textOf(index, document),
    truncated: (flags & isTruncated) !== 0,
    outOfOrder: (flags & isOutOfOrder) !== 0,
    matchedPatterns: patternSets[columns.patternSetOf[document] ?? 0] ?? [],
    templateId: index.templates[columns.templateOf[document] ?? 0] || null,
    sender: index.sender.get(document) ?? null,
  }
}

/** The current content of a memory index as a part; the index counts the holders. */
export const snapshotOf = (index: MemoryIndex, name: string): Omit<Part, 'hold' | 'release'> => {
  const { terms, columns, documents, words } = index
  const streams = index.streams.map((stream) => ({
    ...stream,
    bySeverity: [...stream.bySeverity] as StreamSummary['bySeverity'],
  }))
  const extent = {
    firstTime: streams.reduce((first, stream) => Math.min(first, stream.firstTime), Number.POSITIVE_INFINITY),
    lastTime: streams.reduce((last, stream) => Math.max(last, stream.lastTime), Number.NEGATIVE_INFINITY),
  }
  let known: Times | undefined
  const timeColumn = columnOf(columns.times)
  const times = (): Times => (known ??= { times: timeColumn, spans: spansOf(timeColumn, documents) })
  const read = (term: number): Postings | undefined => {
    const found = terms.documentsWith(term)
    if (term < 0 || found === 0) return undefined
    const postings = { documents: new Uint32Array(found), counts: new Uint8Array(found) }
    terms.readPostings(term, postings.documents, postings.counts)
    return cutAt(postings, documents)
  }
  return {
    name,
    documents,
    corpus: async () => ({ documents, words }),
    ...extent,
    streams,
    summaries: async () => streams,
    patternSets: index.patternSets,
    templates: index.templates,
    visible: async () => undefined,
    times: async () => times(),
    severities: async () => columns.severities,
    streamOf: async () => columns.streamOf,
    patternSetOf: async () => columns.patternSetOf,
    lengthCodes: async () => columns.lengthCodes,
    ranks: async () => ({
      ...times(),
      lengthCodes: columns.lengthCodes,
      sequences: columnOf(columns.sequences),
      keys: columns.keys,
      keyStride: 16,
    }),
    cells: async () => index.cells(),
    buckets: async (milliseconds) => bucketColumnOf(timeColumn, { documents, ...extent }, milliseconds),
    templateOf: async () => columns.templateOf,
    lookup: async (word) => {
      const postings = read(terms.find(encodeWord(word)))
      return postings && occurrencesOf(postings, { documents, lengthCodes: columns.lengthCodes })
    },
    frequency: async (word) => read(terms.find(encodeWord(word)))?.documents.length ?? 0,
    lookupPrefix: async (prefix) => {
      const encodedPrefix = encodeWord(prefix)
      const found: Postings[] = []
      for (let term = 0; term < terms.terms; term++) {
        const postings = terms.startsWith(term, encodedPrefix) ? read(term) : undefined
        if (postings) found.push(postings)
      }
      return occurrencesOf(mergePostings(found, documents), { documents, lengthCodes: columns.lengthCodes })
    },
    ingestTimes: async () => extentOf(columnOf(columns.ingestTimes), documents),
    text: async (document) => textOf(index, document),
    entry: async (document) => entryAt(index, document),
    entries: async (requested) => requested.map((document) => entryAt(index, document)),
    keyLookup: async () => index.keyTable.candidates,
  }
}

/** The index may grow while a search reads: postings are cut at the documents that existed when the part was made. */
const cutAt = (postings: Postings, documents: number): Postings | undefined => {
  let end = postings.documents.length
  while (end > 0 && (postings.documents[end - 1] ?? 0) >= documents) end--
  if (end === 0) return undefined
  return { documents: postings.documents.subarray(0, end), counts: postings.counts.subarray(0, end) }
}
