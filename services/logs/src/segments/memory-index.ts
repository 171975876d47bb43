import type { Origin, SenderDetails } from '../entries/entry.ts'
import { type EntryBatch, isOutOfOrder, isTruncated, timeIsBorrowed } from '../entries/entry-batch.ts'
import { sequenceOf } from '../entries/entry-order.ts'
import type { BatchAnalysis } from './batch-analysis.ts'
import { setBit } from './bitmap.ts'
import { type Blocks, newBlocks } from './blocks.ts'
import { type Cells, createCells } from './count-columns.ts'
import { codeOfLength } from './document-length.ts'
import { createKeyTable, type KeyTable, keyPrefixAt } from './key-table.ts'
import { hasOwnTime, snapshotOf } from './memory-part.ts'
import type { Part, StreamSummary } from './part.ts'
import type { SeverityColumn } from './severity-column.ts'
import { createTermTable, type TermTable } from './term-table.ts'

/** The summary of a stream while it is counted, with all optional counts. */
type MemorySummary = StreamSummary & { words: number; firstIngest: number; lastIngest: number }

export type MemoryIndexLimits = { documents: number; textBytes: number }

/** Columns by document, as in a segment. */
export type MemoryColumns = {
  times: Float64Array<ArrayBuffer>
  ingestTimes: Float64Array<ArrayBuffer>
  sequences: Float64Array<ArrayBuffer>
  repeats: Uint32Array<ArrayBuffer>
  textEnds: Uint32Array<ArrayBuffer>
  streamOf: Uint16Array<ArrayBuffer>
  patternSetOf: Uint16Array<ArrayBuffer>
  templateOf: Uint16Array<ArrayBuffer>
  lengthCodes: Uint8Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
  keys: Uint8Array<ArrayBuffer>
  severities: SeverityColumn
}

/**
 * Entries that arrived since the last segment, searchable as soon as they are added. Capacity is fixed: the columns are allocated whole, and the
 * system backs them with memory as they are touched.
 */
export type MemoryIndex = {
  readonly documents: number
  readonly words: number
  readonly textBytes: number
  readonly streams: StreamSummary[]
  readonly patternSets: string[][]
  readonly templates: string[]
  readonly columns: MemoryColumns
  readonly terms: TermTable
  readonly keyTable: KeyTable
  readonly sender: Map<number, SenderDetails>
  readonly text: Buffer
  /** False when the batch must go to the next index. */
  hasRoomFor: (batch: EntryBatch) => boolean
  /** Whether the index already has an entry of a batch. */
  has: (batch: EntryBatch, entry: number) => boolean
  /**
   * Adds the entries of a batch that are neither in the index nor marked in `isKnown`. `templates` are the template ids of the analysis' shapes.
   */
  add: (batch: EntryBatch, analysis: BatchAnalysis, templates: readonly string[], isKnown?: Uint8Array) => void
  /** The columns of facets; documents that are already numbered are not processed again. */
  cells: () => Cells
  /** The current content as a part that the caller must release. */
  snapshot: (name: string) => Part
  /** Frees the memory of the index once no part of it is held. */
  retire: () => void
}

const maxStreams = 60_000
const minKeys = 1_024
/** The number of templates that a column of two bytes can distinguish; entries of further templates have none here. */
const maxTemplates = 65_536

const newColumns = (documents: number, { take }: Blocks): MemoryColumns => {
  const words = (documents + 31) >>> 5
  const bitmap = () => new Uint32Array(take(words * 4), 0, words).fill(0)
  return {
    times: new Float64Array(take(documents * 8), 0, documents),
    ingestTimes: new Float64Array(take(documents * 8), 0, documents),
    sequences: new Float64Array(take(documents * 8), 0, documents),
    repeats: new Uint32Array(take(documents * 4), 0, documents),
    textEnds: new Uint32Array(take(documents * 4), 0, documents),
    streamOf: new Uint16Array(take(documents * 2), 0, documents),
    patternSetOf: new Uint16Array(take(documents * 2), 0, documents),
    templateOf: new Uint16Array(take(documents * 2), 0, documents),
    lengthCodes: new Uint8Array(take(documents), 0, documents),
    flags: new Uint8Array(take(documents), 0, documents),
    keys: new Uint8Array(take(documents * 16), 0, documents * 16),
    severities: [bitmap(), bitmap(), bitmap()],
  }
}

export const originKey = (origin: Origin): string =>
  `${origin.sourceId}\0${origin.branch ?? ''}\0${origin.tenantId ?? ''}\0${origin.format}\0${origin.anonymized ?? ''}`

export type MemoryIndexOptions = {
  /** A full index of similar entries: with its capacities, this one hardly needs to grow. */
  before?: MemoryIndex
  /** The allocator of its memory. */
  blocks?: Blocks
}

export const createMemoryIndex = (
  limits: MemoryIndexLimits,
  { before, blocks = newBlocks }: MemoryIndexOptions = {},
): MemoryIndex => {
  const columns = newColumns(limits.documents, blocks)
  const terms = createTermTable(before?.terms.capacity, blocks)
  const keyTable = createKeyTable(Math.max(minKeys, before?.documents ?? 0), blocks)
  const sender = new Map<number, SenderDetails>()
  const cells = createCells(limits.documents, blocks)
  const text = Buffer.from(blocks.take(limits.textBytes), 0, limits.textBytes)
  const streams: MemorySummary[] = []
  const streamNumbers = new Map<string, number>()
  const patternSets: string[][] = [[]]
  const templates: string[] = ['']
  const templateNumbers = new Map<string, number>([['', 0]])
  const patternSetNumbers = new Map<string, number>([['', 0]])
  let documents = 0
  let words = 0
  let textBytes = 0
  let holds = 0
  let isRetired = false
  let isGone = false

  /** Frees the memory once only: a block that is freed twice would be taken twice. */
  const freeIfUnused = () => {
    if (!isRetired || isGone || holds > 0) return
    isGone = true
    const { severities, ...others } = columns
    for (const { buffer } of [...severities, ...Object.values(others)]) blocks.free(buffer)
    blocks.free(text.buffer)
    terms.clear()
    keyTable.clear()
    cells.clear()
  }
  const hold = () => {
    holds++
  }
  const release = () => {
    holds--
    freeIfUnused()
  }
  const streamNumber = (origin: Origin): number => {
    const key = originKey(origin)
    const known = streamNumbers.get(key)
    if (known !== undefined) return known
    const number = streams.push(newSummary(origin)) - 1
    streamNumbers.set(key, number)
    return number
  }
  const patternSetNumber = (tags: string[]): number => {
    const key = tags.join(' ')
    const known = patternSetNumbers.get(key)
    if (known !== undefined) return known
    const number = patternSets.push(tags) - 1
    patternSetNumbers.set(key, number)
    return number
  }
  const templateNumber = (templateId: string): number => {
    const known = templateNumbers.get(templateId)
    if (known !== undefined) return known
    if (templates.length === maxTemplates) return 0
    const number = templates.push(templateId) - 1
    templateNumbers.set(templateId, number)
    return number
  }
  const has = (batch: EntryBatch, entry: number): boolean => {
    const { keys } = columns
    for (const document of keyTable.candidates(keyPrefixAt(batch.keys, entry * 16))) {
      let byte = 4
      while (byte < 16 && keys[document * 16 + byte] === batch.keys[entry * 16 + byte]) byte++
      if (byte === 16) return true
    }
    return false
  }
  /** Copies the texts of those entries of a batch that became documents, from `first` on. */
  const addTexts = (batch: EntryBatch, documentOf: Int32Array, first: number) => {
    const { text: source, textEnds } = batch
    if (documents - first === batch.count) {
      text.set(source, textBytes)
      for (let entry = 0; entry < batch.count; entry++)
        columns.textEnds[first + entry] = textBytes + (textEnds[entry] ?? 0)
      textBytes += source.length
      return
    }
    for (let entry = 0; entry < batch.count; entry++) {
      const document = documentOf[entry] ?? -1
      if (document < 0) continue
      const piece = source.subarray(entry === 0 ? 0 : (textEnds[entry - 1] ?? 0), textEnds[entry] ?? 0)
      text.set(piece, textBytes)
      textBytes += piece.length
      columns.textEnds[document] = textBytes
    }
  }
  const addTimes = (document: number, batch: EntryBatch, entry: number): number => {
    const flags = batch.flags[entry] ?? 0
    const time = batch.times[entry] ?? Number.NaN
    const isTimed = !Number.isNaN(time)
    const effective = isTimed ? time : batch.ingestTime
    columns.times[document] = effective
    columns.ingestTimes[document] = batch.ingestTime
    columns.flags[document] =
      (flags & (isTruncated | isOutOfOrder)) | (isTimed && (flags & timeIsBorrowed) === 0 ? hasOwnTime : 0)
    return effective
  }
  /** Adds an entry without its text and words; returns its document. */
  const addEntry = (batch: EntryBatch, entry: number, analysis: BatchAnalysis, stream: number): number => {
    const document = documents++
    const severity = analysis.severities[entry] ?? 0
    const wordCount = analysis.wordCounts[entry] ?? 0
    const bitmap = columns.severities[severity - 1]
    if (bitmap) setBit(bitmap, document)
    const time = addTimes(document, batch, entry)
    const order = batch.sequences[entry] ?? 0
    const sequence = sequenceOf(order)
    columns.sequences[document] = order
    columns.repeats[document] = batch.repeats[entry] ?? 1
    columns.streamOf[document] = stream
    for (let byte = 0; byte < 16; byte++) columns.keys[document * 16 + byte] = batch.keys[entry * 16 + byte] ?? 0
    keyTable.add(keyPrefixAt(batch.keys, entry * 16), document)
    const details = batch.sender.size > 0 ? batch.sender.get(entry) : undefined
    if (details) sender.set(document, details)
    const summary = streams[stream]
    const foreign = details?.entryId !== undefined
    if (summary) extend(summary, { severity, time, ingestTime: batch.ingestTime, words: wordCount, sequence, foreign })
    return document
  }

  const streamOf = (known: Int32Array, batch: EntryBatch, entry: number): number => {
    const number = batch.originOf[entry] ?? 0
    const stream = known[number] ?? -1
    const origin = batch.origins[number]
    if (stream >= 0 || !origin) return Math.max(0, stream)
    const added = streamNumber(origin)
    known[number] = added
    return added
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
    templates,
    columns,
    terms,
    keyTable,
    sender,
    text,
    hasRoomFor: (batch) =>
      documents + batch.count <= limits.documents &&
      textBytes + batch.text.length <= limits.textBytes &&
      streams.length + batch.origins.length <= maxStreams,
    has,
    add(batch, analysis, templatesOfShapes, isKnown) {
      // A stream is added with its first new entry, because an origin without entries has no times.
      const streamsOfBatch = new Int32Array(batch.origins.length).fill(-1)
      const templatesOfBatch = new Int32Array(analysis.shapes.length).fill(-1)
      const templateOf = (shape: number): number => {
        const known = templatesOfBatch[shape] ?? -1
        if (known >= 0) return known
        const number = templateNumber(templatesOfShapes[shape] ?? '')
        templatesOfBatch[shape] = number
        return number
      }
      const setsOfBatch = Uint16Array.from(analysis.patternSets, patternSetNumber)
      const first = documents
      const documentOf = new Int32Array(batch.count).fill(-1)
      for (let entry = 0; entry < batch.count; entry++) {
        if (isKnown?.[entry] === 1 || has(batch, entry)) continue
        const stream = streamOf(streamsOfBatch, batch, entry)
        const document = addEntry(batch, entry, analysis, stream)
        documentOf[entry] = document
        const count = analysis.wordCounts[entry] ?? 0
        words += count
        columns.lengthCodes[document] = codeOfLength(count)
        columns.patternSetOf[document] = setsOfBatch[analysis.patternSetOf[entry] ?? 0] ?? 0
        columns.templateOf[document] = templateOf(analysis.shapeOf[entry] ?? 0)
      }
      if (documents === first) return
      addTexts(batch, documentOf, first)
      terms.add(analysis, documentOf)
    },
    cells: () => cells.upTo(documents, columns),
    snapshot: (name) => {
      hold()
      return { ...snapshotOf(index, name), hold, release }
    },
    retire: () => {
      isRetired = true
      freeIfUnused()
    },
  }
  return index
}

const newSummary = (origin: Origin): MemorySummary => ({
  origin,
  entries: 0,
  words: 0,
  firstIngest: Number.POSITIVE_INFINITY,
  lastIngest: Number.NEGATIVE_INFINITY,
  bySeverity: [0, 0, 0, 0],
  firstTime: Number.POSITIVE_INFINITY,
  lastTime: Number.NEGATIVE_INFINITY,
  lowestSequence: Number.POSITIVE_INFINITY,
  highestSequence: Number.NEGATIVE_INFINITY,
  hasForeignIds: false,
})

type Seen = { severity: number; time: number; ingestTime: number; words: number; sequence: number; foreign: boolean }

const extend = (summary: MemorySummary, { severity, time, ingestTime, words, sequence, foreign }: Seen) => {
  summary.entries++
  summary.words += words
  if (ingestTime < summary.firstIngest) summary.firstIngest = ingestTime
  if (ingestTime > summary.lastIngest) summary.lastIngest = ingestTime
  summary.bySeverity[severity] = (summary.bySeverity[severity] ?? 0) + 1
  if (time < summary.firstTime) summary.firstTime = time
  if (time > summary.lastTime) summary.lastTime = time
  if (sequence < summary.lowestSequence) summary.lowestSequence = sequence
  if (sequence > summary.highestSequence) summary.highestSequence = sequence
  if (foreign) summary.hasForeignIds = true
}
