import { expect, test } from 'vitest'
import { startRounds } from './rounds.ts'

test('a round follows each wake, also one during a round, and a failure is reported', async () => {
  const ending = new AbortController()
  const failures: unknown[] = []
  let rounds = 0
  const held: (() => void)[] = []
  const work = startRounds({
    milliseconds: 3_600_000,
    signal: ending.signal,
    round: async () => {
      rounds += 1
      await new Promise<void>((resolve) => held.push(resolve))
      throw new Error(`round ${rounds}`)
    },
    onFailure: (error) => failures.push(error),
  })
  work.wake()
  await expect.poll(() => held.length).toBe(1)
  work.wake()
  held[0]?.()
  await expect.poll(() => held.length).toBe(2)
  held[1]?.()
  await expect.poll(() => failures.length).toBe(2)
  ending.abort()
  await work[Symbol.asyncDispose]()
  expect(failures.map(String)).toEqual(['Error: round 1', 'Error: round 2'])
})

test('disposal waits for the round under way, and no further one starts', async () => {
  const ending = new AbortController()
  let release = () => {}
  let rounds = 0
  const work = startRounds({
    milliseconds: 0,
    signal: ending.signal,
    round: () => {
      rounds += 1
      return new Promise<void>((resolve) => {
        release = resolve
      })
    },
    onFailure: () => undefined,
  })
  await expect.poll(() => rounds).toBe(1)
  ending.abort()
  work.wake()
  let isDisposed = false
  const disposal = work[Symbol.asyncDispose]().then(() => {
    isDisposed = true
  })
  await Promise.resolve()
  expect(isDisposed).toBe(false)
  release()
  await disposal
  expect(rounds).toBe(1)
})
