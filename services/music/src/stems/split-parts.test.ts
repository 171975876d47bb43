import { expect, test } from 'vitest'
import { splitParts } from './split-parts.ts'

test('each consumer receives the parts of its position, in order', async () => {
  async function* pairs() {
    for (let i = 0; i < 5; i++) yield [i, 10 * i]
  }
  const [ones, tens] = splitParts(pairs(), 2)
  expect(await Promise.all([Array.fromAsync(ones ?? []), Array.fromAsync(tens ?? [])])).toEqual([
    [0, 1, 2, 3, 4],
    [0, 10, 20, 30, 40],
  ])
})

test('an error of the source reaches all consumers', async () => {
  async function* failing() {
    yield ['a', 'b']
    throw new Error('broken')
  }
  const outcomes = await Promise.allSettled(splitParts(failing(), 2).map((part) => Array.fromAsync(part)))
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
    'Error: broken',
    'Error: broken',
  ])
})

test('the source is closed and the others fail when one consumer leaves', async () => {
  let isClosed = false
  async function* endless() {
    try {
      for (;;) yield ['a', 'b']
    } finally {
      isClosed = true
    }
  }
  const [one, other] = splitParts(endless(), 2)
  const leaving = (async () => {
    for await (const _ of one ?? []) return
  })()
  await expect(Array.fromAsync(other ?? [])).rejects.toThrow('left')
  await leaving
  expect(isClosed).toBe(true)
})
