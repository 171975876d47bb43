import { releaseBuffer } from '../release-buffers.ts'
import { bucketColumnOf, type Cells, cellsOf, narrowed, type SmallNumbers } from './count-columns.ts'
import { decodeDeltas } from './delta-column.ts'
import { createKeyTable, type KeyTable, keyPrefixAt } from './key-table.ts'
import { bytesOfColumn, extentOf, type NumberColumn } from './number-column.ts'
import type { Memoize, Part } from './part.ts'
import type { SectionName, SegmentFooter } from './segment-layout.ts'
import type { SeverityColumn } from './severity-column.ts'
import { spansOf } from './time-spans.ts'

export type SegmentColumnsOptions = {
  footer: SegmentFooter
  /** Caches columns. */
  cached: Memoize
  /** Decodes a decompressed section, whose bytes are freed afterwards. */
  made: <Value>(name: SectionName, decode: (bytes: Uint8Array) => Value) => Promise<Value>
  /** Reads the section of keys, which is not compressed. */
  readKeys: () => Promise<Uint8Array>
}

/** The columns of an entry except its text. */
export type EntryColumns = {
  times: NumberColumn
  ingestTimes: NumberColumn
  sequences: NumberColumn
  repeats: NumberColumn
  cells: Cells
  templates: SmallNumbers
  flags: Uint8Array
  severities: SeverityColumn
}

export type SegmentColumns = Pick<
  Part,
  | 'times'
  | 'severities'
  | 'streamOf'
  | 'patternSetOf'
  | 'templateOf'
  | 'lengthCodes'
  | 'ranks'
  | 'cells'
  | 'buckets'
  | 'ingestTimes'
> & {
  keyTable: () => Promise<KeyTable>
  entryColumns: () => Promise<EntryColumns>
}

const keyPrefixBytes = 4

/** The columns of a segment, each decoded on first use and cached in its narrowest form. */
export const createSegmentColumns = ({ footer, cached, made, readKeys }: SegmentColumnsOptions): SegmentColumns => {
  const { documents } = footer
  const column = <Value extends ArrayBufferView>(name: SectionName, decode: (bytes: Uint8Array) => Value) =>
    cached(name, async () => {
      const value = await made(name, decode)
      return { value, bytes: value.byteLength }
    })
  const unpacked = (name: SectionName) => made(name, (bytes) => decodeDeltas(bytes, documents))
  const numbers = (name: SectionName) =>
    cached(name, async () => {
      const value = await unpacked(name)
      return { value, bytes: bytesOfColumn(value) }
    })
  const shorts = (name: SectionName) => made(name, (bytes) => copyOf(bytes, Uint16Array))
  const smallNumbers = (name: SectionName, distinct: number) =>
    cached(name, async () => {
      const wide = await shorts(name)
      const value = narrowed(wide, distinct)
      if (value !== wide) releaseBuffer(wide)
      return { value, bytes: value.byteLength }
    })
  const bytesAsTheyAre = (name: SectionName) => column(name, (bytes) => Uint8Array.from(bytes))

  const spans = () =>
    cached('timeSpans', async () => {
      const value = spansOf(await numbers('times'), documents)
      return { value, bytes: value.first.byteLength * 2 }
    })
  const times = async () => ({ times: await numbers('times'), spans: await spans() })
  const severities = async (): Promise<SeverityColumn> => {
    const all = await column('severities', (packed) => copyOf(packed, Uint32Array))
    const words = all.length / 3
    return [all.subarray(0, words), all.subarray(words, words * 2), all.subarray(words * 2)]
  }
  const keys = () =>
    cached('keys', async () => {
      const value = await readKeys()
      return { value, bytes: value.length }
    })
  const templateOf = async () =>
    footer.templates ? smallNumbers('templates', footer.templates.length) : new Uint8Array(documents)
  const lengthCodes = () => bytesAsTheyAre('lengthCodes')
  const cells = () =>
    cached('cells', async () => {
      const [streamOf, patternSetOf] = await Promise.all([shorts('streams'), shorts('patternSets')])
      const value = cellsOf({ streamOf, patternSetOf }, documents)
      releaseBuffer(streamOf)
      releaseBuffer(patternSetOf)
      return { value, bytes: value.cellOf.byteLength + value.streams.byteLength * 2 }
    })

  return {
    times,
    severities,
    streamOf: () => smallNumbers('streams', footer.streams.length),
    patternSetOf: () => smallNumbers('patternSets', footer.patternSets.length),
    templateOf,
    lengthCodes,
    ranks: async () => {
      const [timed, sequences, lengths, prefixes] = await Promise.all([
        times(),
        numbers('sequences'),
        lengthCodes(),
        keys(),
      ])
      return { ...timed, sequences, lengthCodes: lengths, keys: prefixes, keyStride: keyPrefixBytes }
    },
    cells,
    buckets: async (milliseconds) => {
      const { buckets } = await cached(`buckets ${milliseconds}`, async () => {
        const made = bucketColumnOf(await numbers('times'), footer, milliseconds)
        return { value: { buckets: made }, bytes: made?.bucketOf.byteLength ?? 128 }
      })
      return buckets
    },
    ingestTimes: async () => extentOf(await unpacked('ingestTimes'), documents),
    keyTable: () =>
      cached('keyTable', async () => {
        const prefixes = await keys()
        const value = createKeyTable(documents)
        for (let document = 0; document < documents; document++)
          value.add(keyPrefixAt(prefixes, document * keyPrefixBytes), document)
        return { value, bytes: documents * 24 }
      }),
    entryColumns: async () => {
      const [time, ingestTimes, sequences, repeats, cell, templates, flags, severity] = await Promise.all([
        numbers('times'),
        numbers('ingestTimes'),
        numbers('sequences'),
        numbers('repeats'),
        cells(),
        templateOf(),
        bytesAsTheyAre('flags'),
        severities(),
      ])
      return { times: time, ingestTimes, sequences, repeats, cells: cell, templates, flags, severities: severity }
    },
  }
}

const copyOf = <Values>(bytes: Uint8Array, make: new (buffer: ArrayBuffer) => Values): Values =>
  new make(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer)
