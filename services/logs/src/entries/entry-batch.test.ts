import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEnricher } from '../patterns/enricher.ts'
import { createBatchAnalyser } from '../segments/batch-analysis.ts'
import { createMemoryIndex } from '../segments/memory-index.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { BatchUnreadable, decodeBatch, type EntryBatch } from './entry-batch.ts'

const whole = batchOf(
  Array.from({ length: 12 }, (_, index) => ({
    text: `line ${index} ${'é'.repeat(index)} failed`,
    sequence: index,
    time: index * 1000,
    sourceId: `source ${index % 3}`,
    ...(index % 5 === 0 && { entryId: `own ${index}` }),
  })),
)
const [, headLength = 0] = new Uint32Array(whole, 0, 2)

const flipped = (changes: readonly { at: number; to: number }[]): ArrayBuffer => {
  const bytes = new Uint8Array(whole.slice(0))
  for (const { at, to } of changes) bytes[at] = to
  return bytes.buffer
}
/** The decoded batch, or undefined if decoding refuses it; other errors are rethrown. */
const read = (buffer: ArrayBuffer): EntryBatch | undefined => {
  try {
    return decodeBatch(buffer)
  } catch (error) {
    if (error instanceof BatchUnreadable) return undefined
    throw error
  }
}
const byte = fc.integer({ min: 0, max: 255 })
const bytesAnywhere = fc.array(fc.record({ at: fc.nat(whole.byteLength - 1), to: byte }), {
  minLength: 1,
  maxLength: 8,
})
const bytesInHead = fc.array(fc.record({ at: fc.nat(8 + headLength - 1), to: byte }), { minLength: 1, maxLength: 3 })
/** Replacements that often leave valid JSON: they change sizes and lists in the head. */
const digitsInHead = fc.array(
  fc.record({
    at: fc.integer({ min: 8, max: 8 + headLength - 1 }),
    to: fc.constantFrom(...Buffer.from('0192.e-[]{}"nl')),
  }),
  { minLength: 1, maxLength: 3 },
)

test('a batch with flipped bytes is decoded or refused as unreadable, and a decoded one can be indexed', () => {
  const analyse = createBatchAnalyser(createEnricher())
  fc.assert(
    fc.property(fc.oneof(bytesAnywhere, bytesInHead, digitsInHead), (changes) => {
      const batch = read(flipped(changes))
      if (!batch) return
      const index = createMemoryIndex({ documents: batch.count, textBytes: batch.text.length })
      const analysis = analyse(batch)
      index.add(batch, analysis, analysis.shapes)
      expect(index.documents).toBeLessThanOrEqual(batch.count)
    }),
    propertyRuns(2_000),
  )
})

test('a truncated batch is refused at any length', () => {
  for (let length = 0; length < whole.byteLength; length++)
    expect(() => decodeBatch(whole.slice(0, length))).toThrow(BatchUnreadable)
  expect(decodeBatch(whole).count).toBe(12)
})

/** A batch with this head. */
const withHead = (head: unknown): ArrayBuffer => {
  const bytes = new TextEncoder().encode(JSON.stringify(head))
  const buffer = new ArrayBuffer(((8 + bytes.length + 7) & ~7) + 1_000)
  new Uint32Array(buffer, 0, 2).set([new Uint32Array(whole, 0, 1)[0] ?? 0, bytes.length])
  new Uint8Array(buffer).set(bytes, 8)
  return buffer
}
const origin = { sourceId: 'a', branch: null, tenantId: null, format: 'plain' }
const empty = { ingestTime: 1, origins: [origin], count: 1, textLength: 0, sender: [] }

const damagedHeads: unknown[] = [
  null,
  7,
  [],
  {},
  { ...empty, count: -1 },
  { ...empty, count: 0.5 },
  { ...empty, count: 1e9 },
  { ...empty, count: '1' },
  { ...empty, textLength: -1 },
  { ...empty, textLength: 1e12 },
  { ...empty, ingestTime: null },
  { ...empty, origins: null },
  { ...empty, origins: [] },
  { ...empty, origins: [null] },
  { ...empty, origins: [{ ...origin, sourceId: 7 }] },
  { ...empty, origins: [{ ...origin, branch: {} }] },
  { ...empty, sender: {} },
  { ...empty, sender: [null] },
  { ...empty, sender: [[0, null]] },
  { ...empty, sender: [[0, { entryId: 7 }]] },
]

test.each(damagedHeads.map((head) => [head]))('a head of %j is refused as unreadable', (head) => {
  expect(decodeBatch(withHead(empty)).count).toBe(1)
  expect(() => decodeBatch(withHead(head))).toThrow(BatchUnreadable)
})
