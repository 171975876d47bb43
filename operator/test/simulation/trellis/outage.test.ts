import { exploredSeeds } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { pods } from '../../../src/workers/mod.ts'
import { createSimulation } from '../mod.ts'
import { createCluster } from './cluster.ts'
import { fillInDefaults } from './defaults.ts'
import { watchInvariants } from './invariants.ts'
import { isAtRest } from './judge.ts'
import { timeout } from './schedules.ts'
import { calmBus, silentBus } from './simulated-bus.ts'
import { createUser } from './user.ts'

const runs = 10
/** Milliseconds without the bus. */
const outage = 40_000

/** Failures not caused by the bus: runs that their worker refuses, and runs that wait for a GPU that no node has. */
const ofTheRun = ['Refused', 'DeadlineExceeded']

/** Simulates runs before and during an outage of the bus, and returns the reasons of failed runs. */
const survive = async (seed: number) => {
  const terminating = [{ resource: pods, milliseconds: 10_000 }]
  const simulation = createSimulation({ seed, terminating, admit: fillInDefaults })
  const { operators, services, bus, gpus } = createCluster(simulation)
  const user = createUser(simulation, services)
  const invariants = watchInvariants(simulation, user.mustStayAway)
  operators.start()
  user.makePools(2)
  gpus.join()
  await simulation.clock.advance(5_000)
  for (let count = 0; count < runs; count += 1) {
    if (count === runs / 2) {
      bus.weather(silentBus)
      simulation.clock.after(outage, () => bus.weather(calmBus))
    }
    user.apply(count % 2 === 0 ? 'search' : 'generation')
    await simulation.clock.advance(simulation.random.between(0, 4_000))
  }
  const atRest = await simulation.clock.until(() => isAtRest(simulation, user), 1_500_000)
  const reasons = [...invariants.ended.values()].flatMap(({ reason }) => reason ?? [])
  simulation.end()
  return { atRest, wrong: [...invariants.broken, ...invariants.excess], reasons }
}

test(
  'a bus outage of 40 s fails no run and assigns no run to two workers',
  async () => {
    for (const seed of exploredSeeds(15)) {
      const { atRest, wrong, reasons } = await survive(seed)
      expect({ seed, atRest, wrong }).toEqual({ seed, atRest: true, wrong: [] })
      expect({ seed, failed: reasons.filter((reason) => !ofTheRun.includes(reason)) }).toEqual({ seed, failed: [] })
    }
  },
  timeout,
)
