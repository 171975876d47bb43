import { runSeed, runs } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { calm, stormy } from '../mod.ts'
import { live } from './life.ts'
import { failing, scheduleCount, schedulesFrom, schedulesOf, seeds, timeout } from './schedules.ts'

test('without faults every run completes or fails with a reason, most of them on an idle worker', async () => {
  const { wrong, phases, claims } = await live({ seed: 1, replicas: 8 })
  expect(wrong).toEqual([])
  expect((phases.Complete ?? 0) + (phases.Failed ?? 0)).toBe(8)
  expect(claims).toBeGreaterThanOrEqual(4)
})

const storms = schedulesOf(scheduleCount * 0.5, { faults: { ...stormy, late: 0 }, isStormy: true })
test(
  `runs never have excess workers and always end, in ${storms.length} storms with crashes`,
  async () => expect(await failing(storms)).toEqual([]),
  timeout,
)

test('a Search resumed after its first run completed fails only by its second run', async () => {
  const [resumed] = schedulesFrom([2_120_634_814], { faults: { ...stormy, late: 0 }, isStormy: true })
  expect(await failing(resumed ? [resumed] : [])).toEqual([])
})

test('a GenerationJob that loses its worker gets no Job beside a claim whose answer was lost', async () => {
  const unanswered = schedulesFrom([408_301_205, 408_301_489], { faults: { ...stormy, late: 0 }, isStormy: true })
  expect(await failing(unanswered)).toEqual([])
})

const lateStorms = schedulesOf(scheduleCount * 0.25, { faults: stormy, isStormy: true })
test(
  `no run has two workers and nothing is left over, in ${lateStorms.length} storms where requests execute after their timeout`,
  async () => expect(await failing(lateStorms)).toEqual([]),
  timeout,
)

test(
  `the operator can be killed at any step of its work; about ${runs(scheduleCount * 0.25)} steps are tried`,
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

/** Seeds that are known to make careless claims fail. Find new ones with the loop below after the simulation changes. */
const revealing: readonly number[] = [129]
test(
  'the simulation catches claims without a resourceVersion',
  async () => {
    const found: string[] = []
    // About one in fifty such schedules shows the failure. Known seeds come first.
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

test('a seed produces the same run twice', async () => {
  const replay = async () => {
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
  expect(await replay()).toEqual(await replay())
})
