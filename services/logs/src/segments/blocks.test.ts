import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createBatchAnalyser } from './batch-analysis.ts'
import { createBlocks, newBlocks } from './blocks.ts'
import { encodeSegment } from './encode-segment.ts'
import { noEnrichment } from './enricher.ts'
import { createMemoryIndex } from './memory-index.ts'
import { scribbledBlocks } from './scribbled-blocks-for-tests.ts'
import { batchOf } from './store-for-tests.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const minute = 60_000

test('a freed block is reused for about the same size, and not for other sizes', () => {
  using blocks = createBlocks({ maxBytes: 64 * megabyte, idleMilliseconds: minute })
  const block = blocks.take(5 * megabyte)
  expect(blocks.take(5 * megabyte)).not.toBe(block)
  blocks.free(block)
  expect(blocks.take(2 * megabyte)).not.toBe(block)
  expect(blocks.take(6 * megabyte)).not.toBe(block)
  expect(blocks.take(4 * megabyte)).toBe(block)
  blocks.free(block)
  expect(blocks.take(5 * megabyte - kilobyte)).toBe(block)
})

test('the pool holds at most maxBytes, no small blocks, and nothing after clear()', () => {
  const blocks = createBlocks({ maxBytes: megabyte, idleMilliseconds: minute })
  const [first, second, small] = [blocks.take(megabyte), blocks.take(megabyte), blocks.take(kilobyte)]
  for (const block of [first, second, small]) blocks.free(block)
  expect(blocks.take(kilobyte)).not.toBe(small)
  expect(blocks.take(megabyte)).toBe(first)
  expect(blocks.take(megabyte)).not.toBe(second)
  blocks.free(first)
  blocks.clear()
  expect(blocks.take(megabyte)).not.toBe(first)
})

/** More words than an index initially has room for, so that it grows. */
const entries = 3_000
const batch = decodeBatch(
  batchOf(
    Array.from({ length: entries }, (_, entry) => ({
      text: `kernel line${entry} value${entry % 7} of disk`,
      time: entry,
    })),
  ),
)
const analysis = createBatchAnalyser(noEnrichment)(batch)
const filledIndex = (blocks = newBlocks) => {
  const index = createMemoryIndex({ documents: entries, textBytes: megabyte }, { blocks })
  index.add(batch, analysis, [])
  return index
}

test('an index and its segment do not depend on the previous content of the memory', async () => {
  const [clean, used] = [filledIndex(), filledIndex(scribbledBlocks)]
  const { content } = await encodeSegment(used, scribbledBlocks)
  expect(Buffer.compare(content, (await encodeSegment(clean)).content)).toBe(0)
})

test('a retired index frees its memory when its last part is released, and has no words then', async () => {
  const index = filledIndex(scribbledBlocks)
  const [one, other] = [index.snapshot('one'), index.snapshot('other')]
  index.retire()
  one.release()
  expect(await other.entry(17)).toMatchObject({ text: 'kernel line17 value3 of disk', effectiveTime: 17 })
  expect((await other.lookup('value3'))?.total).toBe(Math.ceil((entries - 3) / 7))
  other.release()
  expect(await other.lookup('value3')).toBeUndefined()
  expect((await other.keyLookup())(0)).toEqual([])
})
