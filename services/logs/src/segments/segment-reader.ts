import type { Files } from '@trellis/kit/files'
import type { SenderDetails, StoredEntry } from '../entries/entry.ts'
import { isOutOfOrder, isTruncated } from '../entries/entry-batch.ts'
import { orderFields } from '../entries/entry-order.ts'
import { entryIdOf } from '../entries/identity.ts'
import { severityOfCode } from '../entries/severity-code.ts'
import { releaseBuffer } from '../release-buffers.ts'
import { createMemoizer } from './byte-cache.ts'
import { createByteReader } from './byte-reader.ts'
import { blockOf, decodeTermIndex, startsWith, type TermEntry, type TermIndex, termsOfBlock } from './dictionary.ts'

import { hasOwnTime } from './memory-part.ts'
import { numberAt } from './number-column.ts'
import { bytesOf, mergePostings, type Occurrences, occurrencesOf } from './occurrences.ts'
import { createPagedFile } from './paged-file.ts'
import type { Part } from './part.ts'
import { readPostings } from './postings-codec.ts'
import { readFooter } from './read-footer.ts'
import type { SegmentCache } from './segment-cache.ts'
import { createSegmentColumns, type EntryColumns } from './segment-columns.ts'
import { checkHeader, headerBytes, type SectionName, SegmentCorrupt } from './segment-layout.ts'
import { severityAt } from './severity-column.ts'
import { blockWith, decodeTextIndex, readRecord, recordStarts } from './text-records.ts'
import { encodeWord } from './tokens.ts'
import { unpack } from './unpack.ts'

const noBytes = new Uint8Array(0)

export type OpenSegmentOptions = {
  files: Pick<Files, 'readRange'>
  /** Reads of keys only, where `files` would fetch more: often nothing else of a segment is read. */
  keyFiles?: Pick<Files, 'readRange'>
  key: string
  /** Size of the file. */
  bytes: number
  cache: SegmentCache
  /** Called when the last holder of a retired segment releases it. */
  onRetired?: () => void
}

export type Segment = Part & {
  /** Must be called once when the segment has been replaced or dropped: its file is removed once it has no holders. */
  retire: () => void
  /** Removes the segment's data from the cache. */
  releaseCache: () => void
}

/** Opens a segment: its footer is read and verified now, the rest on demand. Throws SegmentCorrupt. */
export const openSegment = async (options: OpenSegmentOptions): Promise<Segment> => {
  const { files, keyFiles = files, key, bytes, onRetired } = options
  const columns = options.cache.columns.shelf()
  const texts = options.cache.texts.shelf()
  const answers = options.cache.answers.shelf()
  const memoize = createMemoizer(answers)
  const releaseCache = () => {
    columns.clear()
    texts.clear()
    answers.clear()
  }
  const footer = await readFooter(files, key, bytes)
  const { sections, documents } = footer
  const bodyBytes = Math.max(...Object.values(sections).map((section) => section.offset + section.bytes))
  const paged = { key, cache: texts, bodyBytes, pageChecksums: footer.pageChecksums }
  const file = createPagedFile({ ...paged, files })
  const keyFile = createPagedFile({ ...paged, files: keyFiles })
  checkHeader(key, await file.read(0, headerBytes))

  const unpackChecked = (packed: Uint8Array, dictionary?: Uint8Array): Uint8Array => {
    try {
      return unpack(packed, dictionary)
    } catch (cause) {
      throw new SegmentCorrupt(
        key,
        `a block cannot be decompressed (${cause instanceof Error ? cause.message : String(cause)})`,
      )
    }
  }
  const cached = createMemoizer(columns)
  const cachedText = createMemoizer(texts)
  const unpackedSection = async (name: SectionName): Promise<Uint8Array> => {
    const section = sections[name]
    if (!section) throw new SegmentCorrupt(key, `it has no section "${name}"`)
    return file.readOnce(section.offset, section.bytes, unpackChecked)
  }
  /** Decodes a section; the result must not reference the bytes, which are freed at once. */
  const made = async <Value>(name: SectionName, decode: (bytes: Uint8Array) => Value): Promise<Value> => {
    const bytes = await unpackedSection(name)
    const value = decode(bytes)
    releaseBuffer(bytes)
    return value
  }
  const { keyTable, entryColumns, ...columnsOfPart } = createSegmentColumns({
    footer,
    cached,
    made,
    readKeys: () =>
      keyFile.readOnce(sections.keys.offset, sections.keys.bytes, (prefixes) => Uint8Array.from(prefixes)),
  })
  const { lengthCodes } = columnsOfPart

  const termIndex = (): Promise<TermIndex> =>
    cached('termIndex', async () => {
      const value = decodeTermIndex(await unpackedSection('termIndex'))
      return { value, bytes: value.bytes }
    })
  const dictionaryBlock = (index: TermIndex, block: number): Promise<Uint8Array> => {
    const start = index.offsets[block] ?? 0
    return file.read(sections.terms.offset + start, (index.offsets[block + 1] ?? start) - start)
  }
  const findTerm = async (word: string): Promise<TermEntry | undefined> => {
    const encoded = encodeWord(word)
    const index = await termIndex()
    const block = blockOf(index, encoded)
    if (block < 0) return undefined
    for (const term of termsOfBlock(await dictionaryBlock(index, block))) {
      const order = Buffer.compare(term.word, encoded)
      if (order === 0) return term
      if (order > 0) return undefined
    }
    return undefined
  }
  const packedPostings = async (term: TermEntry): Promise<Uint8Array> =>
    term.inline ?? file.read(sections.postings.offset + term.offset, term.bytes)
  /** Lookups of words are cached, including those without occurrences. */
  const cachedOccurrences = async (name: string, find: () => Promise<Occurrences | undefined>) => {
    const { occurrences } = await cached(name, async () => {
      const found = await find()
      return { value: { occurrences: found }, bytes: (found ? bytesOf(found) : 128) + name.length * 2 }
    })
    return occurrences
  }
  const lookup = (word: string) =>
    cachedOccurrences(`word ${word}`, async () => {
      const term = await findTerm(word)
      if (!term) return undefined
      const [packed, codes] = await Promise.all([packedPostings(term), lengthCodes()])
      return occurrencesOf(readPostings(packed, term.documents), { documents, lengthCodes: codes })
    })

  const termsWithPrefix = async (prefix: string): Promise<TermEntry[]> => {
    const encodedPrefix = encodeWord(prefix)
    const index = await termIndex()
    const found: TermEntry[] = []
    for (let block = Math.max(0, blockOf(index, encodedPrefix)); block < index.words.length; block++) {
      found.push(...matching(termsOfBlock(await dictionaryBlock(index, block)), encodedPrefix))
      const next = index.words[block + 1]
      if (!next || (Buffer.compare(next, encodedPrefix) > 0 && !startsWith(next, encodedPrefix))) break
    }
    return found
  }
  const lookupPrefix = (prefix: string) =>
    cachedOccurrences(`prefix ${prefix}`, async () => {
      const terms = await termsWithPrefix(prefix)
      const packed = await Promise.all(terms.map(packedPostings))
      // Sequential: decoding the postings of many words at once would take more memory than their sum.
      const postings = terms.values().map((term, index) => readPostings(packed[index] ?? noBytes, term.documents))
      return occurrencesOf(mergePostings(postings, documents), { documents, lengthCodes: await lengthCodes() })
    })

  const textIndex = () =>
    cached('textIndex', async () => {
      const value = decodeTextIndex(await unpackedSection('textIndex'))
      return { value, bytes: value.firstDocuments.length * 16 }
    })
  const textDictionary = () =>
    cached('textDictionary', async () => {
      const value = await made('textDictionary', (bytes) => Uint8Array.from(bytes))
      return { value, bytes: value.length }
    })
  const record = async (document: number): Promise<{ text: string; sender: SenderDetails | null }> => {
    const index = await textIndex()
    const block = blockWith(index.firstDocuments, document)
    const first = index.firstDocuments[block] ?? 0
    const content = await cachedText(`text${block}`, async () => {
      const start = index.offsets[block] ?? 0
      const packed = await file.read(sections.texts.offset + start, (index.offsets[block + 1] ?? start) - start)
      const value = unpackChecked(packed, await textDictionary())
      const starts = recordStarts(value, (index.firstDocuments[block + 1] ?? documents) - first)
      return { value: { bytes: value, starts }, bytes: value.length + starts.byteLength }
    })
    return readRecord(createByteReader(content.bytes, content.starts[document - first] ?? 0))
  }
  const entryOf = async (document: number, columns: EntryColumns): Promise<StoredEntry> => {
    const { times, ingestTimes, sequences, repeats, cells, templates, flags, severities } = columns
    const cell = cells.cellOf[document] ?? 0
    const stream = footer.streams[cells.streams[cell] ?? 0]
    if (!stream || document >= documents) throw new RangeError(`There is no document ${document} in "${key}".`)
    const { text, sender } = await record(document)
    const flag = flags[document] ?? 0
    const effectiveTime = numberAt(times, document)
    const time = (flag & hasOwnTime) === 0 ? null : effectiveTime
    const order = orderFields(numberAt(sequences, document))
    return {
      entryId:
        sender?.entryId ??
        entryIdOf({
          sourceId: stream.origin.sourceId,
          sequence: order.sequence,
          timestampIso: time === null ? null : new Date(time).toISOString(),
          text,
        }),
      origin: stream.origin,
      ...order,
      time,
      ingestTime: numberAt(ingestTimes, document),
      effectiveTime,
      severity: severityOfCode(severityAt(severities, document)),
      repeatCount: numberAt(repeats, document),
      text,
      truncated: (flag & isTruncated) !== 0,
      outOfOrder: (flag & isOutOfOrder) !== 0,
      matchedPatterns: footer.patternSets[cells.patternSets[cell] ?? 0] ?? [],
      templateId: footer.templates?.[templates[document] ?? 0] || null,
      sender,
    }
  }

  let holders = 0
  let isRetired = false
  const settle = () => {
    if (isRetired && holders === 0) {
      releaseCache()
      onRetired?.()
    }
  }
  return {
    name: key,
    documents,
    corpus: async () => ({ documents, words: footer.words }),
    firstTime: footer.firstTime,
    lastTime: footer.lastTime,
    streams: footer.streams,
    summaries: async () => footer.streams,
    patternSets: footer.patternSets,
    templates: footer.templates ?? [''],
    visible: async () => undefined,
    ...columnsOfPart,
    lookup,
    frequency: async (word) => (await findTerm(word))?.documents ?? 0,
    lookupPrefix,
    text: async (document) => (await record(document)).text,
    memoize,
    entry: async (document) => entryOf(document, await entryColumns()),
    entries: async (requested) => {
      const columns = await entryColumns()
      return Promise.all(requested.map((document) => entryOf(document, columns)))
    },
    keyLookup: async () => (await keyTable()).candidates,
    hold: () => {
      holders++
    },
    release: () => {
      holders--
      settle()
    },
    retire: () => {
      isRetired = true
      settle()
    },
    releaseCache,
  }
}

function* matching(terms: Iterable<TermEntry>, prefix: Uint8Array) {
  for (const term of terms) if (startsWith(term.word, prefix)) yield { ...term }
}
