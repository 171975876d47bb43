import { expect, onTestFinished, test, vi } from 'vitest'
import { createBranchWatch } from './branch-watch.ts'
import type { ActiveBranch } from './directory.ts'

test('all listeners are notified of changes of the branches, with one poll for all', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let active: ActiveBranch[] = []
  let polls = 0
  const watch = createBranchWatch({
    directory: {
      active: async () => {
        polls += 1
        return active
      },
    },
    milliseconds: 1_000,
  })
  const notified = [0, 0]
  const stops = notified.map((_, index) =>
    watch(() => {
      notified[index] = (notified[index] ?? 0) + 1
    }),
  )
  const pass = (rounds: number) => vi.advanceTimersByTimeAsync(rounds * 1_000)
  await pass(3)
  // Once, because the branches may have changed before the first poll.
  expect(notified).toEqual([1, 1])
  expect(polls).toBe(3)
  active = [{ slug: 'barn', client: undefined }]
  await pass(2)
  expect(notified).toEqual([2, 2])
  stops[0]?.()
  active = [{ slug: 'barn', client: {} as ActiveBranch['client'] }]
  await pass(2)
  expect(notified).toEqual([2, 3])
  stops[1]?.()
  await pass(5)
  expect(polls).toBe(7)
  expect(vi.getTimerCount()).toBe(0)
})
