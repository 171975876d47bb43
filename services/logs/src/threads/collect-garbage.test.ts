import { expect, test } from 'vitest'
import { collectGarbage, collectOnce } from './collect-garbage.ts'

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
