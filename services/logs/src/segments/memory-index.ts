import { isAscii } from 'node:buffer'
import type { Origin, SenderDetails, StoredEntry } from '../entries/entry.ts'
import {
  type EntryBatch,
  isOutOfOrder,
  isTruncated,
  severityIsKnown,
  severityMask,
  timeIsBorrowed,
} from '../entries/entry-batch.ts'
import { severityOfCode } from '../entries/severity-code.ts'
import { type Bitmap, createBitmap, setBit } from './bitmap.ts'
import { codeOfLength } from './document-length.ts'
import type { Enricher } from './enricher.ts'
import { createKeyTable, type KeyTable, keyPrefixAt } from './key-table.ts'
import type { Part, Postings, StreamSummary } from './part.ts'
import { createTermTable, internWord, type TermTable } from './term-table.ts'
import { encodeWord, tokenize } from './tokens.ts'

export type MemoryIndexLimits = { documents: number; textBytes: number }

/** Columns by document, as a segment will keep them. */
export type MemoryColumns = {
  times: Float64Array<ArrayBuffer>
  ingestTimes: Float64Array<ArrayBuffer>
  sequences: Float64Array<ArrayBuffer>
  repeats: Uint32Array<ArrayBuffer>
  textEnds: Uint32Array<ArrayBuffer>
  streamOf: Uint16Array<ArrayBuffer>
  patternSetOf: Uint16Array<ArrayBuffer>
  lengthCodes: Uint8Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
  keys: Uint8Array<ArrayBuffer>
  severities: readonly [Bitmap, Bitmap, Bitmap]
}

/** A flag of a kept entry beside those of a batch: its time is its own, not that of its coming in. */
export const hasOwnTime = 64

/**
 * Entries that came in since the last segment, searchable as soon as they are added. Capacity is fixed: the columns are allocated
 * whole and the system gives them memory as they are touched.
 */
export type MemoryIndex = {
  readonly documents: number
  readonly words: number
  readonly textBytes: number
  readonly streams: StreamSummary[]
  readonly patternSets: string[][]
  readonly columns: MemoryColumns
  readonly terms: TermTable
  readonly keyTable: KeyTable
  readonly sender: Map<number, SenderDetails>
  readonly text: Buffer
  /** False when the batch should go to the next index. */
  hasRoomFor: (batch: EntryBatch) => boolean
  /** What is the same for all entries of a batch, found out once. */
  prepare: (batch: EntryBatch) => PreparedBatch
  /** Adds one entry of a batch. */
  add: (prepared: PreparedBatch, index: number) => void
  /** What is in it now, as a part. */
  snapshot: (name: string) => Part
}

export type PreparedBatch = { batch: EntryBatch; streams: Uint16Array; isAscii: boolean }

const mostStreams = 60_000

const newColumns = (documents: number): MemoryColumns => ({
  times: new Float64Array(documents),
  ingestTimes: new Float64Array(documents),
  sequences: new Float64Array(documents),
  repeats: new Uint32Array(documents),
  textEnds: new Uint32Array(documents),
  streamOf: new Uint16Array(documents),
  patternSetOf: new Uint16Array(documents),
  lengthCodes: new Uint8Array(documents),
  flags: new Uint8Array(documents),
  keys: new Uint8Array(documents * 16),
  severities: [createBitmap(documents), createBitmap(documents), createBitmap(documents)],
})

export const originKey = (origin: Origin): string =>
  `${origin.sourceId}\0${origin.branch ?? ''}\0${origin.tenantId ?? ''}\0${origin.format}`

export const createMemoryIndex = (limits: MemoryIndexLimits, enricher: Enricher): MemoryIndex => {
  const columns = newColumns(limits.documents)
  const terms = createTermTable()
  const keyTable = createKeyTable(1024)
  const sender = new Map<number, SenderDetails>()
  const text = Buffer.from(new ArrayBuffer(limits.textBytes + 1))
  const streams: StreamSummary[] = []
  const streamNumbers = new Map<string, number>()
  const patternSets: string[][] = [[]]
  const patternSetNumbers = new Map<string, number>([['', 0]])
  const triggers = enricher.words.map((word) => internWord(terms, word)).length
  let documents = 0
  let words = 0
  let textBytes = 0

  const streamNumber = (origin: Origin): number => {
    const key = originKey(origin)
    const known = streamNumbers.get(key)
    if (known !== undefined) return known
    const number = streams.push(newSummary(origin)) - 1
    streamNumbers.set(key, number)
    return number
  }
  const patternSetNumber = (tags: readonly string[]): number => {
    const key = tags.join(' ')
    const known = patternSetNumbers.get(key)
    if (known !== undefined) return known
    const number = patternSets.push([...tags]) - 1
    patternSetNumbers.set(key, number)
    return number
  }
  const addWords = (document: number, start: number, end: number, batchIsAscii: boolean): number => {
    terms.startText(triggers)
    if (batchIsAscii || isAscii(text.subarray(start, end))) return terms.addAscii(document, text, start, end)
    const tokens = tokenize(text.toString('utf8', start, end))
    for (const token of tokens) terms.addWord(document, encodeWord(token.text))
    return tokens.length
  }
  const enrich = (document: number, start: number, end: number, known: number | undefined): number => {
    if (terms.marked.length === 0) return known ?? 0
    const found = enricher.enrich(text.toString('utf8', start, end), terms.marked, known)
    if (found.patterns.length > 0) columns.patternSetOf[document] = patternSetNumber(found.patterns)
    return found.severity
  }

  const index: MemoryIndex = {
    get documents() {
      return documents
    },
    get words() {
      return words
    },
    get textBytes() {
      return textBytes
    },
    streams,
    patternSets,
    columns,
    terms,
    keyTable,
    sender,
    text,
    hasRoomFor: (batch) =>
      documents + batch.count <= limits.documents &&
      textBytes + batch.text.length <= limits.textBytes &&
      streams.length + batch.origins.length <= mostStreams,
    prepare: (batch) => ({
      batch,
      streams: Uint16Array.from(batch.origins, streamNumber),
      isAscii: isAscii(batch.text),
    }),
    add({ batch, streams: streamsOfBatch, isAscii: batchIsAscii }, entry) {
      const document = documents++
      const start = textBytes
      const from = entry === 0 ? 0 : (batch.textEnds[entry - 1] ?? 0)
      const to = batch.textEnds[entry] ?? 0
      for (let position = from; position < to; position++) text[textBytes++] = batch.text[position] ?? 0
      text[textBytes] = 0
      columns.textEnds[document] = textBytes
      const count = addWords(document, start, textBytes, batchIsAscii)
      words += count
      columns.lengthCodes[document] = codeOfLength(count)
      const flags = batch.flags[entry] ?? 0
      const known = (flags & severityIsKnown) === 0 ? undefined : flags & severityMask
      const severity = enrich(document, start, textBytes, known)
      const bitmap = columns.severities[severity - 1]
      if (bitmap) setBit(bitmap, document)
      const time = batch.times[entry] ?? Number.NaN
      const effective = !Number.isNaN(time) ? time : batch.ingestTime
      columns.times[document] = effective
      columns.ingestTimes[document] = batch.ingestTime
      columns.flags[document] =
        (flags & (isTruncated | isOutOfOrder)) |
        (!Number.isNaN(time) && (flags & timeIsBorrowed) === 0 ? hasOwnTime : 0)
      const sequence = batch.sequences[entry] ?? 0
      columns.sequences[document] = sequence
      columns.repeats[document] = batch.repeats[entry] ?? 1
      const stream = streamsOfBatch[batch.originOf[entry] ?? 0] ?? 0
      columns.streamOf[document] = stream
      for (let byte = 0; byte < 16; byte++) columns.keys[document * 16 + byte] = batch.keys[entry * 16 + byte] ?? 0
      keyTable.add(keyPrefixAt(batch.keys, entry * 16), document)
      const details = batch.sender.size > 0 ? batch.sender.get(entry) : undefined
      if (details) sender.set(document, details)
      const summary = streams[stream]
      if (summary) extend(summary, { severity, time: effective, sequence, foreign: details?.entryId !== undefined })
    },
    snapshot: (name) => snapshotOf(index, name),
  }
  return index
}

const newSummary = (origin: Origin): StreamSummary => ({
  origin,
  entries: 0,
  bySeverity: [0, 0, 0, 0],
  firstTime: Number.POSITIVE_INFINITY,
  lastTime: Number.NEGATIVE_INFINITY,
  lowestSequence: Number.POSITIVE_INFINITY,
  highestSequence: Number.NEGATIVE_INFINITY,
  hasForeignIds: false,
})

type Seen = { severity: number; time: number; sequence: number; foreign: boolean }

const extend = (summary: StreamSummary, { severity, time, sequence, foreign }: Seen) => {
  summary.entries++
  summary.bySeverity[severity] = (summary.bySeverity[severity] ?? 0) + 1
  if (time < summary.firstTime) summary.firstTime = time
  if (time > summary.lastTime) summary.lastTime = time
  if (sequence < summary.lowestSequence) summary.lowestSequence = sequence
  if (sequence > summary.highestSequence) summary.highestSequence = sequence
  if (foreign) summary.hasForeignIds = true
}

const textOf = (index: MemoryIndex, document: number): string =>
  index.text.toString(
    'utf8',
    document === 0 ? 0 : index.columns.textEnds[document - 1],
    index.columns.textEnds[document],
  )

/** The id of a document: what the sender gave, else the digits of its key. */
const entryIdAt = (index: MemoryIndex, document: number): string =>
  index.sender.get(document)?.entryId ?? Buffer.from(index.columns.keys.buffer, document * 16, 16).toString('hex')

export const entryAt = (index: MemoryIndex, document: number): StoredEntry => {
  const { columns, streams, patternSets } = index
  const stream = streams[columns.streamOf[document] ?? 0]
  if (!stream || document >= index.documents) throw new RangeError(`There is no document ${document}.`)
  const flags = columns.flags[document] ?? 0
  const severity = columns.severities.findIndex(
    (bitmap) => ((bitmap[document >>> 5] ?? 0) & (1 << (document & 31))) !== 0,
  )
  return {
    entryId: entryIdAt(index, document),
    origin: stream.origin,
    sequence: columns.sequences[document] ?? 0,
    time: (flags & hasOwnTime) === 0 ? null : (columns.times[document] ?? 0),
    ingestTime: columns.ingestTimes[document] ?? 0,
    effectiveTime: columns.times[document] ?? 0,
    severity: severityOfCode(severity + 1),
    repeatCount: columns.repeats[document] ?? 1,
    text: textOf(index, document),
    truncated: (flags & isTruncated) !== 0,
    outOfOrder: (flags & isOutOfOrder) !== 0,
    matchedPatterns: patternSets[columns.patternSetOf[document] ?? 0] ?? [],
    sender: index.sender.get(document) ?? null,
  }
}

/** The index may grow while a search reads: postings are cut at the documents that were there when the part was made. */
const snapshotOf = (index: MemoryIndex, name: string): Part => {
  const { terms, columns, documents } = index
  const streams = index.streams.map((stream) => ({
    ...stream,
    bySeverity: [...stream.bySeverity] as StreamSummary['bySeverity'],
  }))
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
    words: index.words,
    firstTime: streams.reduce((first, stream) => Math.min(first, stream.firstTime), Number.POSITIVE_INFINITY),
    lastTime: streams.reduce((last, stream) => Math.max(last, stream.lastTime), Number.NEGATIVE_INFINITY),
    streams,
    patternSets: index.patternSets,
    columns: async () => ({ ...columns, keyStride: 16 }),
    lookup: async (word) => read(terms.find(encodeWord(word))),
    frequency: async (word) => read(terms.find(encodeWord(word)))?.documents.length ?? 0,
    lookupPrefix: async (prefix) => {
      const wanted = encodeWord(prefix)
      const found: Postings[] = []
      for (let term = 0; term < terms.terms; term++) {
        const postings = terms.startsWith(term, wanted) ? read(term) : undefined
        if (postings) found.push(postings)
      }
      return found
    },
    text: async (document) => textOf(index, document),
    entry: async (document) => entryAt(index, document),
    keyLookup: async () => index.keyTable.candidates,
    hold: () => undefined,
    release: () => undefined,
  }
}

const cutAt = (postings: Postings, documents: number): Postings | undefined => {
  let end = postings.documents.length
  while (end > 0 && (postings.documents[end - 1] ?? 0) >= documents) end--
  if (end === 0) return undefined
  return { documents: postings.documents.subarray(0, end), counts: postings.counts.subarray(0, end) }
}
