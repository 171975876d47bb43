import { setImmediate } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { collectGarbage, collectOnce, createGrowthCheck } from './collect-garbage.ts'

test.each([collectGarbage, collectOnce])(
  'what nobody holds any more is gone when it returns, and what is held stays (%o)',
  async (collect) => {
    const held = new Uint8Array(1024).fill(7)
    // Their bytes are counted until a thread of the engine has swept them: what tells that they are gone are the references.
    const dropped = Array.from({ length: 64 }, (_, round) => new WeakRef(new Uint8Array(1024 * 1024).fill(round)))
    // A reference holds what it was made for until the job ends that made it.
    await setImmediate()
    collect()
    expect(dropped.filter((reference) => reference.deref() !== undefined)).toEqual([])
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
