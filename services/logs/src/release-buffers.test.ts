import { expect, test } from 'vitest'
import { releaseBuffer, releaseBuffers } from './release-buffers.ts'

test('releasing buffers frees their memory at once', () => {
  const size = 16 * 1024 * 1024
  const buffers = [new ArrayBuffer(size), new ArrayBuffer(size)]
  const before = process.memoryUsage().arrayBuffers
  releaseBuffers(buffers)
  expect(buffers.map(({ detached }) => detached)).toEqual([true, true])
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(size)
})

test('a buffer that may be part of a shared pool is not released', () => {
  const [small, large] = [Buffer.from('a piece of a pool'), Buffer.allocUnsafe(1024 * 1024)]
  for (const view of [small, large]) releaseBuffer(view)
  expect([small.toString(), large.length]).toEqual(['a piece of a pool', 0])
})
