import { exploredSeeds } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { generationJobs, searches } from '../../../src/crds/mod.ts'
import { generationNameOf } from '../../../src/generation-job/subject.ts'
import type { RunObject } from '../../../src/runs/mod.ts'
import type { Resource } from '../../../src/runtime/mod.ts'
import { searchNameOf } from '../../../src/search/search-object.ts'
import { pods } from '../../../src/workers/mod.ts'
import { createSimulation } from '../mod.ts'
import { createCluster } from './cluster.ts'
import { fillInDefaults } from './defaults.ts'
import { timeout } from './schedules.ts'

const run = 'run-1'
const minutes = 60_000

const kinds = [
  ['search', searches as Resource<RunObject>, searchNameOf(run)],
  ['generation', generationJobs as Resource<RunObject>, generationNameOf(run)],
] as const

/** A fault-free cluster with a running operator, which counts the objects created for the run. */
const begin = async (seed: number, [workload, resource, name]: (typeof kinds)[number]) => {
  const terminating = [{ resource: pods, milliseconds: 10_000 }]
  const simulation = createSimulation({ seed, terminating, admit: fillInDefaults })
  const { operators, services } = createCluster(simulation)
  const service = services[workload]
  const operator = operators.start()
  await simulation.clock.advance(1_000)
  let made = 0
  simulation.storage.onCommit((commit) => {
    if (commit.type === 'ADDED' && commit.resource.plural === resource.plural) made += 1
  })
  const read = () => simulation.storage.list(resource).find(({ metadata }) => metadata.name === name)
  const ref = { namespace: 'default', name }
  const until = async (condition: () => boolean) =>
    expect(await simulation.clock.until(condition, 5 * minutes)).toBe(true)
  return {
    simulation,
    operators,
    operator,
    service,
    read,
    until,
    made: () => made,
    end: () => service.ends.get(run),
    remove: () => simulation.storage.delete(resource, ref),
  }
}

type Begun = Awaited<ReturnType<typeof begin>>

type End = ReturnType<Begun['end']>

const cancelled = { $case: 'failed', value: expect.objectContaining({ reason: 'Cancelled' }) }

/** Expects that runs ended as cancelled, except for a share whose workers completed or refused them before they were stopped. */
const expectCancelled = (ends: readonly End[], maxOthers: number) => {
  const others = ends.filter(
    (end) => end?.$case === 'completed' || (end?.$case === 'failed' && end.value.reason === 'Refused'),
  )
  expect(others.length).toBeLessThanOrEqual(Math.ceil(ends.length * maxOthers))
  expect(ends.filter((end) => !others.includes(end))).toEqual(
    Array.from({ length: ends.length - others.length }, () => expect.objectContaining(cancelled)),
  )
}

test.each(kinds)(
  'a %s requested many times by a service is created once and ends for every request',
  async (...kind) => {
    for (const seed of exploredSeeds(20)) {
      const { service, until, made, end, read, simulation } = await begin(seed, kind)
      for (let times = 0; times < 5; times += 1) {
        service.request(run)
        await simulation.clock.advance(times * 300)
      }
      await until(() => end() !== undefined && read() === undefined)
      expect(made()).toBe(1)
      simulation.end()
    }
  },
  timeout,
)

test.each(kinds)(
  'a %s cancelled by its service ends as Cancelled and its worker stops',
  async (...kind) => {
    const ends: End[] = []
    for (const seed of exploredSeeds(20)) {
      const { service, until, end, read, simulation } = await begin(seed, kind)
      service.request(run)
      await until(() => read() !== undefined)
      await simulation.clock.advance(simulation.random.between(0, 600))
      service.cancel(run)
      await until(() => end() !== undefined && read() === undefined && simulation.storage.list(pods).length === 0)
      ends.push(end())
      simulation.end()
    }
    expectCancelled(ends, 0.1)
  },
  timeout,
)

test.each(kinds)(
  'a %s deleted while no operator leads ends as Cancelled when requested again and is not recreated',
  async (...kind) => {
    const ends: End[] = []
    for (const seed of exploredSeeds(20)) {
      const { service, until, made, end, read, remove, operators, operator, simulation } = await begin(seed, kind)
      service.request(run)
      await until(() => service.hasReceived(run))
      operator.kill()
      if (read()) remove()
      await simulation.clock.advance(simulation.random.between(1_000, 20_000))
      operators.start()
      await until(() => end() !== undefined && simulation.storage.list(pods).length === 0)
      await simulation.clock.advance(2 * minutes)
      ends.push(end())
      expect([made(), read()]).toEqual([1, undefined])
      simulation.end()
    }
    expectCancelled(ends, 0.5)
  },
  timeout,
)
