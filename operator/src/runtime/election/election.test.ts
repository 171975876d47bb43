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

/** Leaders write these. */
const marks = resource<KubeObject & { spec: { by: string } }>({
  group: 'example.test',
  version: 'v1',
  plural: 'marks',
  kind: 'Mark',
  namespaced: true,
})

type Candidate = { election: Election; lost: Error[]; leadsSince: number[] }

/** A process that leads when it can, writes a mark every 100 ms meanwhile, and ends when it loses leadership. */
const candidate =
  (identity: string, candidates: Map<string, Candidate>, stop?: AbortSignal) => (parts: Surroundings) => {
    const election = createElection({ ...parts, ...ref, identity })
    const state: Candidate = { election, lost: [], leadsSince: [] }
    candidates.set(identity, state)
    const client = guardWrites(parts.client, election.guard)
    const signal = stop ?? new AbortController().signal
    const work = async () => {
      while (!signal.aborted && state.lost.length === 0) {
        // Rejected writes do not stop the loop: only the guard may keep a former leader from writing.
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

/** Writes that were committed while another process held the lease. */
const trespasses = (simulation: Simulation): string[] => {
  const found: string[] = []
  simulation.storage.onCommit(({ resource: { plural }, by }) => {
    if (plural === marks.plural && holderOf(simulation) !== by)
      found.push(`${by} wrote while the lease belonged to ${holderOf(simulation)}`)
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

test('the standby takes over from a crashed leader as soon as the lease expires', async () => {
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

test('a leader that stops releases the lease, and the standby leads within one retry', async () => {
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

test('a suspended leader that resumes after a takeover writes nothing and detects its loss', async () => {
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
    // The current leader writes marks.
    expect(simulation.storage.list(marks).some(({ spec }) => spec.by === holderOf(simulation))).toBe(true)
  }
})

test('a leader that cannot reach the server steps down before another may lead', async () => {
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

test('a renewal whose response was lost counts only once another is answered', async () => {
  const simulation = createSimulation({ seed: 9 })
  const lost = () => Promise.reject(new ConnectionError('no answer came', { maybeSent: true }))
  // The first renewal takes effect without a response, the second gets a conflict, and all later ones fail.
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
