import { exploredSeeds, runs, runsFactor } from '@trellis/test/support/exploration'
import { live, type Schedule } from './life.ts'

/** Number of simulated lives in the tests of one file; each takes about 25 ms. With a factor of 10, a thousand. */
export const scheduleCount = runsFactor >= 10 ? 100 : 50

/** A generous timeout: a life takes half a second on a busy machine. */
export const timeout = Math.max(900_000, runs(scheduleCount) * 1_000)

/** The seeds from 1 to `count`, the same in each run. */
export const seeds = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed + 1)

const schedule = (seed: number, common: Omit<Schedule, 'seed'>): Schedule => ({
  crashAt: 20 + (seed % 300),
  crashEvery: 600,
  ...common,
  seed,
})

/** Schedules whose mishaps start at different steps. The seeds differ in each run; the default run has `count` of them. */
export const schedulesOf = (count: number, common: Omit<Schedule, 'seed'>): Schedule[] =>
  exploredSeeds(count).map((seed) => schedule(seed, common))

/** The schedules of these seeds, the same in each run. */
export const schedulesFrom = (chosen: readonly number[], common: Omit<Schedule, 'seed'>): Schedule[] =>
  chosen.map((seed) => schedule(seed, common))

/** The first few schedules with violations. */
export const failing = async (schedules: readonly Schedule[]): Promise<object[]> => {
  const failed: object[] = []
  for (const schedule of schedules) {
    const { wrong } = await live(schedule)
    if (wrong.length > 0) failed.push({ seed: schedule.seed, crashAt: schedule.crashAt, wrong })
    if (failed.length > 2) break
  }
  return failed
}
