import { createByteWriter } from './byte-writer.ts'
import { compress } from './compress.ts'
import type { MemoryIndex } from './memory-index.ts'
import type { SectionName } from './segment-layout.ts'

/** Maps all integers to those from 0 up, small ones to small ones. */
const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2)

const encodeDeltas = (values: Float64Array | Uint32Array, count: number): Uint8Array => {
  const writer = createByteWriter(count * 2)
  let before = 0
  for (let index = 0; index < count; index++) {
    const value = values[index] ?? 0
    writer.varint(zigzag(value - before))
    before = value
  }
  return writer.take()
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

const keyPrefixes = ({ columns, documents }: MemoryIndex): Uint8Array => {
  const prefixes = new Uint8Array(documents * 4)
  for (let document = 0; document < documents; document++) {
    for (let byte = 0; byte < 4; byte++) prefixes[document * 4 + byte] = columns.keys[document * 16 + byte] ?? 0
  }
  return prefixes
}

/** Each column by its section. What does not repeat is not compressed. */
const columnSections: readonly [SectionName, (memory: MemoryIndex) => Uint8Array][] = [
  ['times', ({ columns, documents }) => compress(encodeDeltas(columns.times, documents))],
  ['ingestTimes', ({ columns, documents }) => compress(encodeDeltas(columns.ingestTimes, documents))],
  ['sequences', ({ columns, documents }) => compress(encodeDeltas(columns.sequences, documents))],
  ['repeats', ({ columns, documents }) => compress(encodeDeltas(columns.repeats, documents))],
  ['streams', ({ columns, documents }) => compress(bytesOf(columns.streamOf.subarray(0, documents)))],
  ['patternSets', ({ columns, documents }) => compress(bytesOf(columns.patternSetOf.subarray(0, documents)))],
  ['templates', ({ columns, documents }) => compress(bytesOf(columns.templateOf.subarray(0, documents)))],
  ['lengthCodes', ({ columns, documents }) => compress(columns.lengthCodes.subarray(0, documents))],
  ['flags', ({ columns, documents }) => compress(columns.flags.subarray(0, documents))],
  ['severities', (memory) => compress(severityBits(memory))],
  ['keys', keyPrefixes],
]

/** The columns as their sections, each a step. */
export function* writeColumns(memory: MemoryIndex): Generator<undefined, [SectionName, Uint8Array][]> {
  const written: [SectionName, Uint8Array][] = []
  for (const [name, write] of columnSections) {
    written.push([name, write(memory)])
    yield
  }
  return written
}
