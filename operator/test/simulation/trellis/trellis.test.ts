import { expect, test } from 'vitest'
import { runSeed, runs } from '../../../../test/support/exploration.ts'
import { calm, stormy } from '../mod.ts'
import { live } from './life.ts'
import { failing, scheduleCount, schedulesFrom, schedulesOf, seeds, timeout } from './schedules.ts'

test('in calm weather every run is done or says why not, most of them by a waiting worker', async () => {
  const { wrong, phases, claims } = await live({ seed: 1, replicas: 8 })
  expect(wrong).toEqual([])
  expect((phases.Complete ?? 0) + (phases.Failed ?? 0)).toBe(8)
  expect(claims).toBeGreaterThanOrEqual(4)
})

const storms = schedulesOf(scheduleCount * 0.5, { faults: { ...stormy, late: 0 }, isStormy: true })
test(
  `in ${storms.length} storms, through crashes, there is never a worker too many, and every run ends`,
  async () => expect(await failing(storms)).toEqual([]),
  timeout,
)

test('a Search that is resumed after its first run was done fails by its second run alone', async () => {
  const [resumed] = schedulesFrom([2_120_634_814], { faults: { ...stormy, late: 0 }, isStormy: true })
  expect(await failing(resumed ? [resumed] : [])).toEqual([])
})

test('a GenerationJob that loses its claimed worker gets no Job beside a claim whose answer was lost', async () => {
  const unanswered = schedulesFrom([408_301_205, 408_301_489], { faults: { ...stormy, late: 0 }, isStormy: true })
  expect(await failing(unanswered)).toEqual([])
})

const lateStorms = schedulesOf(scheduleCount * 0.25, { faults: stormy, isStormy: true })
test(
  `in ${lateStorms.length} storms in which requests are carried out long after they were given up, no run is worked on twice at a time, and nothing stays`,
  async () => expect(await failing(lateStorms)).toEqual([]),
  timeout,
)

test(
  `the operator may be killed at any step of its work, of which about ${runs(scheduleCount * 0.25)} are tried`,
  async () => {
    const { simulation } = await live({ seed: 7 })
    const steps = seeds(simulation.steps())
    expect(steps.length).toBeGreaterThan(200)
    const every = Math.max(1, Math.ceil(steps.length / runs(scheduleCount * 0.25)))
    const chosen = steps.filter((step) => step % every === runSeed % every)
    expect(await failing(chosen.map((crashAt) => ({ seed: 7, faults: calm, crashAt })))).toEqual([])
  },
  timeout,
)

/** Seeds with which careless claims were seen to fail; to be found again, with the loop below, where the simulation changes. */
const revealing: readonly number[] = [129]
test(
  'the simulation finds what claims do wrong that name no version',
  async () => {
    const found: string[] = []
    // It takes many runs and some luck: about one in fifty such schedules shows it. Seeds that are known to show it come first.
    for (const schedule of schedulesFrom([...revealing, ...seeds(1_000)], {
      faults: stormy,
      isStormy: true,
      runs: 16,
      replicas: 4,
    })) {
      if (found.length > 0) break
      const { wrong } = await live({ ...schedule, isCareless: true })
      found.push(...wrong.filter((what) => what.includes('went from the run')))
    }
    expect(found).not.toEqual([])
  },
  timeout,
)

test('a seed tells the same story twice', async () => {
  const reported = async () => {
    const { simulation, ...outcome } = await live({
      seed: 11,
      faults: stormy,
      isStormy: true,
      crashAt: 50,
      crashEvery: 300,
    })
    return {
      ...outcome,
      steps: simulation.steps(),
      revision: simulation.storage.revision(),
      now: simulation.clock.monotonic(),
    }
  }
  expect(await reported()).toEqual(await reported())
})
