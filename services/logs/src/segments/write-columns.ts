import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { compressInto } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import type { SectionWriter } from './section-writer.ts'
import type { SectionName } from './segment-layout.ts'

/** Maps integers to non-negative integers, small ones to small ones. */
const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2)

/** Encodes integers as deltas, each a zigzag LEB128, in the memory of `scratch`, where they are valid until its next use. */
export const encodeDeltas = (values: Float64Array | Uint32Array, count: number, scratch: ByteWriter): Uint8Array => {
  scratch.clear()
  let before = 0
  for (let index = 0; index < count; index++) {
    const value = values[index] ?? 0
    scratch.varint(zigzag(value - before))
    before = value
  }
  return scratch.written()
}

const bytesOf = (values: Uint16Array | Uint32Array | Uint8Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

const severityBits = ({ columns, documents }: MemoryIndex): Uint8Array => {
  const words = (documents + 31) >>> 5
  const all = new Uint32Array(words * 3)
  columns.severities.forEach((bitmap, severity) => {
    all.set(bitmap.subarray(0, words), severity * words)
  })
  return bytesOf(all)
}

const keyPrefixes = ({ columns, documents }: MemoryIndex, scratch: ByteWriter): Uint8Array => {
  scratch.clear()
  for (let document = 0; document < documents; document++) scratch.bytes(columns.keys, document * 16, document * 16 + 4)
  return scratch.written()
}

/** Encodes a column; the result is valid until the next call. `scratch` is memory for it. */
type Encode = (memory: MemoryIndex, scratch: ByteWriter) => Uint8Array

/** The columns by section. */
const columnSections: readonly [SectionName, Encode][] = [
  ['times', ({ columns, documents }, scratch) => encodeDeltas(columns.times, documents, scratch)],
  ['ingestTimes', ({ columns, documents }, scratch) => encodeDeltas(columns.ingestTimes, documents, scratch)],
  ['sequences', ({ columns, documents }, scratch) => encodeDeltas(columns.sequences, documents, scratch)],
  ['repeats', ({ columns, documents }, scratch) => encodeDeltas(columns.repeats, documents, scratch)],
  ['streams', ({ columns, documents }) => bytesOf(columns.streamOf.subarray(0, documents))],
  ['patternSets', ({ columns, documents }) => bytesOf(columns.patternSetOf.subarray(0, documents))],
  ['templates', ({ columns, documents }) => bytesOf(columns.templateOf.subarray(0, documents))],
  ['lengthCodes', ({ columns, documents }) => columns.lengthCodes.subarray(0, documents)],
  ['flags', ({ columns, documents }) => columns.flags.subarray(0, documents)],
  ['severities', severityBits],
]

/** Writes the columns as sections, one per step. */
export function* writeColumns(memory: MemoryIndex, { content, end }: SectionWriter): Generator<undefined, void> {
  const scratch = createByteWriter(memory.documents * 2)
  for (const [name, encode] of columnSections) {
    compressInto(content, encode(memory, scratch))
    end(name)
    yield
  }
  // Keys do not repeat, so they are not compressed.
  content.bytes(keyPrefixes(memory, scratch))
  end('keys')
  yield
}
