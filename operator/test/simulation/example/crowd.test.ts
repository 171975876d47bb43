import { exploredSeeds } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { calm, createSimulation, type Faults, hostile, type Simulation, stormy } from '../mod.ts'
import { type Crowd, careful, crowds, members, type Precautions, runCrowdController } from './crowd.ts'

const ref = { namespace: 'default', name: 'crowd' }

type Schedule = {
  seed: number
  faults: Faults
  precautions?: Precautions
  crashAt?: number
  crashEvery?: number
  /** Milliseconds between two lists, for faults that make watches unreliable. */
  relistAfter?: number
}

/** Milliseconds of calm within which everything must converge: the longest backoffs, with a margin. */
const restWithin = 400_000

type Outcome = { simulation: Simulation; max: number; allowed: number; converged: boolean; left: number }

const crowdOf = (replicas: number): Crowd => ({ metadata: { ...ref }, spec: { replicas } }) as unknown as Crowd

/**
 * Drives a crowd through its life: it is created, then grows and shrinks while faults occur and the controller is killed. Then the
 * faults stop, it must converge, and finally it is deleted. Members are counted at every commit.
 */
const live = async ({
  seed,
  faults,
  precautions = careful,
  crashAt,
  crashEvery,
  relistAfter,
}: Schedule): Promise<Outcome> => {
  const simulation = createSimulation({ seed, faults, terminating: [{ resource: members, milliseconds: 20_000 }] })
  const { storage, clock, random } = simulation
  let [max, allowed] = [0, 0]
  const spawned: AbortController[] = []
  const start = () =>
    void simulation.spawn(`controller-${spawned.length}`, (surroundings) => {
      const stop = new AbortController()
      spawned.push(stop)
      runCrowdController(surroundings, { signal: stop.signal, precautions, ...(relistAfter ? { relistAfter } : {}) })
    })
  storage.onCommit(() => {
    allowed = Math.max(allowed, storage.list(crowds)[0]?.spec.replicas ?? 0)
    max = Math.max(max, storage.list(members).length)
  })
  const crash = (step: number) =>
    simulation.atStep(step, (process) => {
      process.kill()
      clock.after(random.between(0, 3_000), start)
      if (crashEvery) crash(simulation.steps() + Math.ceil(random() * crashEvery))
    })
  if (crashAt !== undefined) crash(crashAt)

  start()
  storage.create(crowds, crowdOf(2))
  for (const replicas of [5, 3, 4]) {
    await clock.advance(random.between(100, 15_000))
    if (random.chance(0.5)) storage.compact()
    storage.patch(crowds, ref, { type: 'merge', body: { spec: { replicas } } })
  }
  await clock.advance(10_000)
  simulation.weather(calm)
  const isAtRest = () => {
    const staying = storage.list(members).filter(({ metadata }) => !metadata.deletionTimestamp)
    return staying.length === 4 && storage.list(members).length === 4 && storage.get(crowds, ref).status?.replicas === 4
  }
  const converged = await clock.until(isAtRest, restWithin + 2 * (relistAfter ?? 0))
  storage.delete(crowds, ref)
  await clock.advance(restWithin)
  return { simulation, max, allowed, converged, left: storage.list(members).length }
}

const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed + 1)

/** The seeds whose outcome violates what a careful reconciler must guarantee. */
const failing = async (schedules: readonly Schedule[]) => {
  const failed: object[] = []
  for (const schedule of schedules) {
    const { max, allowed, converged, left } = await live(schedule)
    if (max > allowed || !converged || left > 0)
      failed.push({ seed: schedule.seed, crashAt: schedule.crashAt, max, allowed, converged, left })
  }
  return failed
}

const count = 200

test('members never exceed the requested number and converge to it, in storms and through crashes', async () => {
  expect(
    await failing(
      exploredSeeds(count).map((seed) => ({ seed, faults: stormy, crashAt: 1 + (seed % 40), crashEvery: 60 })),
    ),
  ).toEqual([])
})

test('members converge after the next list although events are lost and out of order', async () => {
  expect(
    await failing(exploredSeeds(count / 5).map((seed) => ({ seed, faults: hostile, relistAfter: 300_000 }))),
  ).toEqual([])
})

test('the controller can be killed at any step of its work', async () => {
  const { simulation } = await live({ seed: 7, faults: calm })
  const steps = seeds(simulation.steps())
  expect(steps.length).toBeGreaterThan(30)
  expect(await failing(steps.map((crashAt) => ({ seed: 7, faults: calm, crashAt })))).toEqual([])
})

test('the simulation catches a reconciler without deterministic names and expectations', async () => {
  const precautions = { deterministicNames: false, expectations: false }
  const outcomes = []
  for (const seed of seeds(10))
    outcomes.push(await live({ seed, faults: { ...calm, eventDelay: [1, 500] }, precautions }))
  expect(outcomes.some(({ max, allowed }) => max > allowed)).toBe(true)
})

test('the simulation catches a reconciler whose expectations do not survive a lost answer', async () => {
  const precautions = { deterministicNames: false, expectations: true }
  const schedules = seeds(20).map((seed) => ({ seed, faults: { ...calm, answerLost: 0.2 }, precautions }))
  const outcomes = []
  for (const schedule of schedules) outcomes.push(await live(schedule))
  expect(outcomes.some(({ max, allowed }) => max > allowed)).toBe(true)
})

test('a seed produces the same run twice', async () => {
  const replay = async () => {
    const { simulation, ...outcome } = await live({ seed: 11, faults: stormy, crashAt: 5, crashEvery: 30 })
    return {
      ...outcome,
      steps: simulation.steps(),
      revision: simulation.storage.revision(),
      now: simulation.clock.monotonic(),
    }
  }
  expect(await replay()).toEqual(await replay())
})
