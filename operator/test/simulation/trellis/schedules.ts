import { read } from '@trellis/kit/config'
import { live, type Schedule } from './life.ts'

/** Lives in all that the tests of a file go through, as SIMULATION_SCHEDULES says; each takes some 25 ms. */
export const scheduleCount = read.integer(1, 10_000_000)(process.env.SIMULATION_SCHEDULES ?? '1000')

/** Ample: a life takes half a second on a busy machine. */
export const timeout = Math.max(900_000, scheduleCount * 1_000)

export const seeds = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed + 1)

/** So many schedules, whose mishaps begin at different steps. */
export const schedulesOf = (count: number, common: Omit<Schedule, 'seed'>): Schedule[] =>
  seeds(Math.ceil(count)).map((seed) => ({ crashAt: 20 + (seed % 300), crashEvery: 600, ...common, seed }))

/** The schedules in which something did not hold, the first few. */
export const failing = async (schedules: readonly Schedule[]): Promise<object[]> => {
  const failed: object[] = []
  for (const schedule of schedules) {
    const { wrong } = await live(schedule)
    if (wrong.length > 0) failed.push({ seed: schedule.seed, crashAt: schedule.crashAt, wrong })
    if (failed.length > 2) break
  }
  return failed
}
