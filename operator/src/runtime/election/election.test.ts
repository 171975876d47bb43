import { expect, test } from 'vitest'
import {
  calm,
  createSimulation,
  type Simulation,
  type Surroundings,
  seededRandom,
} from '../../../test/simulation/mod.ts'
import { ConnectionError } from '../client/api-error.ts'
import { type Client, guardWrites } from '../client/client.ts'
import type { KubeObject } from '../objects/object.ts'
import { leases, resource } from '../objects/resource.ts'
import { createElection, type Election, LeadershipLost } from './election.ts'

const ref = { namespace: 'default', name: 'operator' }

/** Where leaders leave their marks. */
const marks = resource<KubeObject & { spec: { by: string } }>({
  group: 'example.test',
  version: 'v1',
  plural: 'marks',
  kind: 'Mark',
  namespaced: true,
})

type Candidate = { election: Election; lost: Error[]; leadsSince: number[] }

/** A process that leads when it can, writes a mark every 100 ms while it does, and ends when it has lost. */
const candidate =
  (identity: string, candidates: Map<string, Candidate>, stop?: AbortSignal) => (parts: Surroundings) => {
    const election = createElection({ ...parts, ...ref, identity })
    const state: Candidate = { election, lost: [], leadsSince: [] }
    candidates.set(identity, state)
    const client = guardWrites(parts.client, election.guard)
    const signal = stop ?? new AbortController().signal
    const work = async () => {
      while (!signal.aborted && state.lost.length === 0) {
        // A refused write is no reason to stop here: it must be the guard that keeps a loser from writing.
        await client
          .create(marks, { metadata: { generateName: 'mark-', namespace: 'default' }, spec: { by: identity } })
          .catch(() => undefined)
        await parts.clock.sleep(100)
      }
    }
    const run = async () => {
      await election.acquire(signal)
      state.leadsSince.push(parts.clock.monotonic())
      void work()
      try {
        await election.hold(signal)
        await election.release()
      } catch (error) {
        if (error instanceof Error) state.lost.push(error)
      }
    }
    void run()
  }

const holderOf = ({ storage }: Simulation) => storage.list(leases)[0]?.spec?.holderIdentity ?? ''

/** Writes that were committed while the lease was another's. */
const trespasses = (simulation: Simulation): string[] => {
  const found: string[] = []
  simulation.storage.onCommit(({ resource: { plural }, by }) => {
    if (plural === marks.plural && holderOf(simulation) !== by)
      found.push(`${by} wrote in the time of ${holderOf(simulation)}`)
  })
  return found
}

const twoCandidates = (seed: number) => {
  const simulation = createSimulation({ seed, faults: { ...calm, latency: [1, 200] } })
  const candidates = new Map<string, Candidate>()
  const found = trespasses(simulation)
  const a = simulation.spawn('a', candidate('a', candidates))
  const b = simulation.spawn('b', candidate('b', candidates))
  return { simulation, candidates, found, processes: { a, b } }
}

test('one of two leads, and the other takes over after a crash as soon as the lease has run out', async () => {
  const { simulation, candidates, found, processes } = twoCandidates(1)
  await simulation.clock.until(() => holderOf(simulation) !== '', 10_000)
  const first = holderOf(simulation) as 'a' | 'b'
  const second = first === 'a' ? 'b' : 'a'
  await simulation.clock.advance(30_000)
  processes[first].kill()
  const killedAt = simulation.clock.monotonic()
  expect(await simulation.clock.until(() => candidates.get(second)?.election.leads() === true, 60_000)).toBe(true)
  const took = simulation.clock.monotonic() - killedAt
  expect(took).toBeGreaterThan(12_000)
  expect(took).toBeLessThan(15_000 + 2 * 2_400 + 1_000)
  expect(found).toEqual([])
})

test('who is told to stop lets go of the lease, and the other leads within a look', async () => {
  const stop = new AbortController()
  const simulation = createSimulation({ seed: 3, faults: calm })
  const candidates = new Map<string, Candidate>()
  simulation.spawn('a', candidate('a', candidates, stop.signal))
  await simulation.clock.until(() => holderOf(simulation) === 'a', 10_000)
  simulation.spawn('b', candidate('b', candidates))
  await simulation.clock.advance(5_000)
  stop.abort(new Error('stopped'))
  const stoppedAt = simulation.clock.monotonic()
  await simulation.clock.until(() => candidates.get('b')?.election.leads() === true, 60_000)
  expect(simulation.clock.monotonic() - stoppedAt).toBeLessThan(2_400 + 1_500)
  expect(candidates.get('a')?.lost).toEqual([])
  expect(simulation.storage.list(leases)[0]?.spec?.leaseTransitions).toBe(1)
})

test('a leader that was stopped and wakes after another has taken over writes nothing, and knows that it has lost', async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const { simulation, candidates, found, processes } = twoCandidates(seed)
    const random = seededRandom(seed)
    await simulation.clock.until(() => holderOf(simulation) !== '', 10_000)
    const first = holderOf(simulation) as 'a' | 'b'
    await simulation.clock.advance(random.between(0, 10_000))
    processes[first].pause()
    await simulation.clock.advance(random.between(15_000, 40_000))
    processes[first].resume()
    await simulation.clock.advance(20_000)
    expect(found, `seed ${seed}`).toEqual([])
    const state = candidates.get(first)
    if (holderOf(simulation) !== first) expect(state?.lost[0]).toBeInstanceOf(LeadershipLost)
    // Whoever leads now, marks are being left.
    expect(simulation.storage.list(marks).some(({ spec }) => spec.by === holderOf(simulation))).toBe(true)
  }
})

test('a leader that cannot reach the server gives up before another may lead', async () => {
  const { simulation, candidates, found } = twoCandidates(5)
  await simulation.clock.until(() => holderOf(simulation) !== '', 10_000)
  const first = holderOf(simulation)
  await simulation.clock.advance(5_000)
  simulation.weather({ ...calm, refused: 1 })
  await simulation.clock.advance(10_000)
  expect(candidates.get(first)?.election.leads()).toBe(false)
  await simulation.clock.advance(5_000)
  expect(candidates.get(first)?.lost[0]).toBeInstanceOf(LeadershipLost)
  simulation.weather(calm)
  await simulation.clock.advance(20_000)
  expect(holderOf(simulation)).not.toBe(first)
  expect(found).toEqual([])
})

test('a renewal whose answer was lost counts for nothing until another one is answered', async () => {
  const simulation = createSimulation({ seed: 9 })
  const lost = () => Promise.reject(new ConnectionError('no answer came', { maybeSent: true }))
  // The first renewal takes effect without an answer, the second meets its conflict, and none comes through from then on.
  const fates = ['unanswered', 'passed on'] as const
  let [isCalm, renewals] = [true, 0]
  let election: Election | undefined
  simulation.spawn('a', (parts) => {
    const update: Client['update'] = async (resource, object, options) => {
      if (isCalm) return parts.client.update(resource, object, options)
      const fate = fates[renewals]
      renewals += 1
      if (fate === undefined) return lost()
      const answer = await parts.client.update(resource, object, options)
      return fate === 'unanswered' ? lost() : answer
    }
    election = createElection({ ...parts, ...ref, identity: 'a', client: { ...parts.client, update } })
    void election
      .acquire(new AbortController().signal)
      .then(() => election?.hold(new AbortController().signal))
      .catch(() => undefined)
  })
  await simulation.clock.until(() => election?.leads() === true, 10_000)
  isCalm = false
  await simulation.clock.advance(9_000)
  expect(renewals).toBeGreaterThan(2)
  expect(election?.leads()).toBe(true)
  await simulation.clock.advance(1_500)
  expect(election?.leads()).toBe(false)
})
