import { expect, onTestFinished, test, vi } from 'vitest'
import { createBranchWatch } from './branch-watch.ts'
import type { ActiveBranch } from './directory.ts'

test('all who watch branches are called back when these change, by one look for all', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let active: ActiveBranch[] = []
  let looks = 0
  const watch = createBranchWatch({
    directory: {
      active: async () => {
        looks += 1
        return active
      },
    },
    milliseconds: 1_000,
  })
  const heard = [0, 0]
  const stops = heard.map((_, index) =>
    watch(() => {
      heard[index] = (heard[index] ?? 0) + 1
    }),
  )
  const pass = (rounds: number) => vi.advanceTimersByTimeAsync(rounds * 1_000)
  await pass(3)
  // Once, since something may have changed before the first look.
  expect(heard).toEqual([1, 1])
  expect(looks).toBe(3)
  active = [{ slug: 'barn', client: undefined }]
  await pass(2)
  expect(heard).toEqual([2, 2])
  stops[0]?.()
  active = [{ slug: 'barn', client: {} as ActiveBranch['client'] }]
  await pass(2)
  expect(heard).toEqual([2, 3])
  stops[1]?.()
  await pass(5)
  expect(looks).toBe(7)
  expect(vi.getTimerCount()).toBe(0)
})
