import { setImmediate } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { collectGarbage, collectOnce, createGrowthCheck } from './collect-garbage.ts'

test.each([collectGarbage, collectOnce])(
  'collects unreachable objects before it returns, and leaves reachable ones (%o)',
  async (collect) => {
    const held = new Uint8Array(1024).fill(7)
    // Freed array buffers count as used until a thread of V8 has swept them, so the test checks weak references.
    const dropped = Array.from({ length: 64 }, (_, round) => new WeakRef(new Uint8Array(1024 * 1024).fill(round)))
    // A WeakRef holds its target until the end of the job that created it.
    await setImmediate()
    collect()
    expect(dropped.filter((reference) => reference.deref() !== undefined)).toEqual([])
    expect(held.every((byte) => byte === 7)).toBe(true)
  },
)

test('a heap is collected only if it has grown by more than the maximum', () => {
  const megabyte = 1024 * 1024
  const grow = () => Array.from({ length: 4 * megabyte }, (_, index) => index + 0.5)
  collectGarbage()
  const [early, late] = [createGrowthCheck(16 * megabyte, collectOnce), createGrowthCheck(1024 * megabyte, collectOnce)]
  const used = () => getHeapStatistics().used_heap_size
  const before = used()
  expect(grow()).toHaveLength(4 * megabyte)
  late()
  expect(used() - before).toBeGreaterThan(16 * megabyte)
  early()
  expect(used() - before).toBeLessThan(16 * megabyte)
})
