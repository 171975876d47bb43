import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { collectGarbage, collectOnce, createGrowthCheck } from './collect-garbage.ts'

test.each([collectGarbage, collectOnce])(
  'what nobody holds any more is gone when it returns, and what is held stays (%o)',
  (collect) => {
    const held = new Uint8Array(1024).fill(7)
    const before = process.memoryUsage().arrayBuffers
    for (let round = 0; round < 64; round++) new Uint8Array(1024 * 1024).fill(round)
    collect()
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(before + 16 * 1024 * 1024)
    expect(held.every((byte) => byte === 7)).toBe(true)
  },
)

test('a heap that has grown by more than it may is collected, and one that has not is left alone', () => {
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
