import { expect, test } from 'vitest'
import { letGo } from './let-go.ts'

test('the memory of buffers that are let go is given back at once', () => {
  const size = 16 * 1024 * 1024
  const buffers = [new ArrayBuffer(size), new ArrayBuffer(size)]
  const before = process.memoryUsage().arrayBuffers
  letGo(buffers)
  expect(buffers.map(({ detached }) => detached)).toEqual([true, true])
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(size)
})
