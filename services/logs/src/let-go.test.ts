import { expect, test } from 'vitest'
import { letGo, letGoOf } from './let-go.ts'

test('the memory of buffers that are let go is given back at once', () => {
  const size = 16 * 1024 * 1024
  const buffers = [new ArrayBuffer(size), new ArrayBuffer(size)]
  const before = process.memoryUsage().arrayBuffers
  letGo(buffers)
  expect(buffers.map(({ detached }) => detached)).toEqual([true, true])
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(size)
})

test('what may be a piece of what others have, too, is not let go', () => {
  const [small, large] = [Buffer.from('a piece of a pool'), Buffer.allocUnsafe(1024 * 1024)]
  for (const view of [small, large]) letGoOf(view)
  expect([small.toString(), large.length]).toEqual(['a piece of a pool', 0])
})
