import type { Transferable } from 'node:worker_threads'
import type { Origin, SenderDetails, StoredEntry } from '../entries/entry.ts'
import { isOutOfOrder, isTruncated } from '../entries/entry-batch.ts'
import { orderFields } from '../entries/entry-order.ts'
import { severityOfCode } from '../entries/severity-code.ts'
import type { MemoryIndex } from '../segments/memory-index.ts'
import { hasOwnTime } from '../segments/memory-part.ts'
import { severityAt } from '../segments/severity-column.ts'

/**
 * Entries packed as columns for transfer to another thread: copying twenty thousand objects a second took more time than storing them. Values
 * that entries share are packed once and referenced by index.
 */
export type PackedEntries = {
  count: number
  origins: Origin[]
  patternSets: string[][]
  /** Ids of templates; empty for none. */
  templates: string[]
  sender: [number, SenderDetails][]
  originOf: Uint16Array<ArrayBuffer>
  patternSetOf: Uint16Array<ArrayBuffer>
  templateOf: Uint16Array<ArrayBuffer>
  severities: Uint8Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
  times: Float64Array<ArrayBuffer>
  ingestTimes: Float64Array<ArrayBuffer>
  sequences: Float64Array<ArrayBuffer>
  repeats: Uint32Array<ArrayBuffer>
  /** 16 bytes each. */
  keys: Uint8Array<ArrayBuffer>
  /** The end of each text; a text starts at the end of the one before. */
  textEnds: Uint32Array<ArrayBuffer>
  /** UTF-8. */
  text: Uint8Array<ArrayBuffer>
}

/** The values of the numbers that occur, each once, and for each number the index of its value. */
const distinctValues = <Value>(numbers: Uint16Array, find: (number: number) => Value) => {
  const values: Value[] = []
  const indexByNumber = new Map<number, number>()
  const indexOf = new Uint16Array(numbers.length)
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0
    const known = indexByNumber.get(number)
    const valueIndex = known ?? values.push(find(number)) - 1
    if (known === undefined) indexByNumber.set(number, valueIndex)
    indexOf[index] = valueIndex
  }
  return { values, indexOf }
}

/** Bytes of an entry's key. */
const keyBytes = 16
const noOrigin: Origin = { sourceId: '', branch: null, tenantId: null, format: '' }

/** Packs the documents `from` to `to` (exclusive) of an index; `resolve` maps a template id to its current template. */
export const packEntries = (
  index: MemoryIndex,
  [from, to]: readonly [number, number],
  resolve: (templateId: string) => string,
): PackedEntries => {
  const { columns, streams, patternSets, templates, sender, text } = index
  const count = to - from
  const textStart = from === 0 ? 0 : (columns.textEnds[from - 1] ?? 0)
  const origins = distinctValues(columns.streamOf.subarray(from, to), (stream) => streams[stream]?.origin ?? noOrigin)
  const sets = distinctValues(columns.patternSetOf.subarray(from, to), (set) => patternSets[set] ?? [])
  const ids = distinctValues(columns.templateOf.subarray(from, to), (template) => {
    const templateId = templates[template] ?? ''
    return templateId === '' ? '' : resolve(templateId)
  })
  const details: [number, SenderDetails][] = []
  if (sender.size > 0)
    for (let entry = 0; entry < count; entry++) {
      const senderDetails = sender.get(from + entry)
      if (senderDetails) details.push([entry, senderDetails])
    }
  return {
    count,
    origins: origins.values,
    originOf: origins.indexOf,
    patternSets: sets.values,
    patternSetOf: sets.indexOf,
    templates: ids.values,
    templateOf: ids.indexOf,
    sender: details,
    severities: Uint8Array.from({ length: count }, (_, entry) => severityAt(columns.severities, from + entry)),
    flags: columns.flags.slice(from, to),
    times: columns.times.slice(from, to),
    ingestTimes: columns.ingestTimes.slice(from, to),
    sequences: columns.sequences.slice(from, to),
    repeats: columns.repeats.slice(from, to),
    keys: columns.keys.slice(from * keyBytes, to * keyBytes),
    textEnds: columns.textEnds.slice(from, to).map((end) => end - textStart),
    text: new Uint8Array(text.subarray(textStart, columns.textEnds[to - 1] ?? textStart)),
  }
}

/** The buffers that can be transferred to another thread instead of being copied. */
export const transferablesOfEntries = (packed: PackedEntries): Transferable[] =>
  Object.values(packed).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer as ArrayBuffer] : []))

/** Estimated size of the objects that hold the columns. */
const columnsBytes = 4 * 1024

/** The memory of packed entries, in bytes. */
export const bytesOfEntries = (packed: PackedEntries): number =>
  Object.values(packed).reduce<number>(
    (sum, value) => (ArrayBuffer.isView(value) ? sum + value.byteLength : sum),
    columnsBytes,
  )

/** Number of arrivals that stay unpacked: followers read the same arrival at about the same time. */
const maxUnpacked = 4

/** Unpacks entries when they are read. As objects they take several times the memory, so only the last arrivals stay unpacked. */
export const createUnpacking = (): ((packed: PackedEntries) => StoredEntry[]) => {
  const unpacked: { packed: PackedEntries; entries: StoredEntry[] }[] = []
  return (packed) => {
    const known = unpacked.find((one) => one.packed === packed)
    if (known) return known.entries
    const entries = unpackEntries(packed)
    unpacked.push({ packed, entries })
    if (unpacked.length > maxUnpacked) unpacked.shift()
    return entries
  }
}

export const unpackEntries = (packed: PackedEntries): StoredEntry[] => {
  const text = Buffer.from(packed.text.buffer, packed.text.byteOffset, packed.text.byteLength)
  const keys = Buffer.from(packed.keys.buffer, packed.keys.byteOffset, packed.keys.byteLength)
  const sender = new Map(packed.sender)
  const entryOf = (entry: number): StoredEntry => {
    const flags = packed.flags[entry] ?? 0
    const time = packed.times[entry] ?? 0
    const details = sender.get(entry) ?? null
    return {
      entryId: details?.entryId ?? keys.toString('hex', entry * keyBytes, (entry + 1) * keyBytes),
      origin: packed.origins[packed.originOf[entry] ?? 0] ?? noOrigin,
      ...orderFields(packed.sequences[entry] ?? 0),
      time: (flags & hasOwnTime) === 0 ? null : time,
      ingestTime: packed.ingestTimes[entry] ?? 0,
      effectiveTime: time,
      severity: severityOfCode(packed.severities[entry] ?? 0),
      repeatCount: packed.repeats[entry] ?? 1,
      text: text.toString('utf8', entry === 0 ? 0 : packed.textEnds[entry - 1], packed.textEnds[entry]),
      truncated: (flags & isTruncated) !== 0,
      outOfOrder: (flags & isOutOfOrder) !== 0,
      matchedPatterns: packed.patternSets[packed.patternSetOf[entry] ?? 0] ?? [],
      templateId: packed.templates[packed.templateOf[entry] ?? 0] || null,
      sender: details,
    }
  }
  return Array.from({ length: packed.count }, (_, entry) => entryOf(entry))
}
