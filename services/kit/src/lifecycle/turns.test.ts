import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const gated = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, open: resolve }
}

test('work begins when what was asked for before it has ended, and in that order', async () => {
  const turns = createTurns()
  const gate = gated()
  const done: string[] = []
  const first = turns.take(async () => {
    await gate.promise
    done.push('first')
  })
  const second = turns.take(async () => done.push('second'))
  gate.open()
  await Promise.all([first, second])
  expect(done).toEqual(['first', 'second'])
})

test('each who asked hears how it went, and a failure stops nobody after it', async () => {
  const turns = createTurns()
  const failing = turns.take(() => Promise.reject(new Error('no')))
  const following = turns.take(async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await following).toBe('yes')
})

test('the last ends with what was asked for until then, fails for nobody, and stays the same while nothing more is asked for', async () => {
  const turns = createTurns()
  let isDone = false
  const failing = turns.take(async () => {
    isDone = true
    throw new Error('no')
  })
  const last = turns.last()
  expect(turns.last()).toBe(last)
  await last
  expect(isDone).toBe(true)
  await expect(failing).rejects.toThrow('no')
  void turns.take(async () => undefined)
  expect(turns.last()).not.toBe(last)
})
