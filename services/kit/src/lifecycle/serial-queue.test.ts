import { expect, test } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

const gated = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, open: resolve }
}

test('work runs in FIFO order, one piece at a time', async () => {
  const serialQueue = createSerialQueue()
  const gate = gated()
  const done: string[] = []
  const first = serialQueue.run(async () => {
    await gate.promise
    done.push('first')
  })
  const second = serialQueue.run(async () => done.push('second'))
  gate.open()
  await Promise.all([first, second])
  expect(done).toEqual(['first', 'second'])
})

test('each caller gets the outcome of its work, and a failure does not affect later work', async () => {
  const serialQueue = createSerialQueue()
  const failing = serialQueue.run(() => Promise.reject(new Error('no')))
  const following = serialQueue.run(async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await following).toBe('yes')
})

test('drain resolves after all work so far, never rejects, and returns the same promise until more is added', async () => {
  const serialQueue = createSerialQueue()
  let isDone = false
  const failing = serialQueue.run(async () => {
    isDone = true
    throw new Error('no')
  })
  const last = serialQueue.drain()
  expect(serialQueue.drain()).toBe(last)
  await last
  expect(isDone).toBe(true)
  await expect(failing).rejects.toThrow('no')
  void serialQueue.run(async () => undefined)
  expect(serialQueue.drain()).not.toBe(last)
})
