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

test('a block that was given back is taken again by who needs about as much, and by nobody else', () => {
  using blocks = createBlocks({ maxBytes: 64 * megabyte, idleMilliseconds: minute })
  const block = blocks.take(5 * megabyte)
  expect(blocks.take(5 * megabyte)).not.toBe(block)
  blocks.giveBack(block)
  expect(blocks.take(2 * megabyte)).not.toBe(block)
  expect(blocks.take(6 * megabyte)).not.toBe(block)
  expect(blocks.take(4 * megabyte)).toBe(block)
  blocks.giveBack(block)
  expect(blocks.take(5 * megabyte - kilobyte)).toBe(block)
})

test('no more is kept than told, nothing small, and nothing once all is let go', () => {
  const blocks = createBlocks({ maxBytes: megabyte, idleMilliseconds: minute })
  const [first, second, small] = [blocks.take(megabyte), blocks.take(megabyte), blocks.take(kilobyte)]
  for (const block of [first, second, small]) blocks.giveBack(block)
  expect(blocks.take(kilobyte)).not.toBe(small)
  expect(blocks.take(megabyte)).toBe(first)
  expect(blocks.take(megabyte)).not.toBe(second)
  blocks.giveBack(first)
  blocks.forget()
  expect(blocks.take(megabyte)).not.toBe(first)
})

/** More words than an index has room for at first, so that it grows. */
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

test('whatever was in the memory before, an index and its segment are the same', async () => {
  const [clean, used] = [filledIndex(), filledIndex(scribbledBlocks)]
  const { content } = await encodeSegment(used, scribbledBlocks)
  expect(Buffer.compare(content, (await encodeSegment(clean)).content)).toBe(0)
})

test('a retired index gives its memory back when the last who holds a part of it lets go, and has no words then', async () => {
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
