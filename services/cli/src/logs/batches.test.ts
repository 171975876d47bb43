import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batchesOf } from './batches.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const running = () => new AbortController().signal

test('lines become a batch a second after the first one, and the rest at the end', async () => {
  const input = new PassThrough()
  const batches = batchesOf(input, running())
  const first = batches.next()
  input.write('one\r\n\ntwo\nthr')
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
  vi.advanceTimersByTime(600)
  input.write('ee\n')
  await new Promise(setImmediate)
  vi.advanceTimersByTime(400)
  expect(await first).toEqual({ done: false, value: ['one', 'two', 'three'] })
  input.end('four')
  expect(await batches.next()).toEqual({ done: false, value: ['four'] })
  expect((await batches.next()).done).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a thousand lines or two million characters are a batch at once', async () => {
  const batches = await Array.fromAsync(batchesOf(PassThrough.from(['x\n'.repeat(2_500)]), running()))
  expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
  const long = `${'y'.repeat(900_000)}\n`
  expect(
    (await Array.fromAsync(batchesOf(PassThrough.from([long.repeat(5)]), running()))).map(({ length }) => length),
  ).toEqual([3, 2])
})

test('a line without an end is cut, between characters', async () => {
  const parts = Array.from({ length: 40 }, () => '😀'.repeat(16_000))
  const [first = [], ...others] = await Array.fromAsync(batchesOf(PassThrough.from(['a', ...parts]), running()))
  const lines = [first, ...others].flat()
  expect(lines.join('')).toBe(`a${parts.join('')}`)
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.every((line) => line.isWellFormed())).toBe(true)
})

test('a signal ends the input, and what was read is a batch', async () => {
  const input = new PassThrough()
  const stopping = new AbortController()
  const batches = batchesOf(input, stopping.signal)
  const first = batches.next()
  input.write('one\ntwo')
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
  stopping.abort()
  expect(await first).toEqual({ done: false, value: ['one', 'two'] })
  expect((await batches.next()).done).toBe(true)
  expect(input.destroyed).toBe(true)
})
