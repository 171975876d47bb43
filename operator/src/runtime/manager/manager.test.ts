import { expect, test } from 'vitest'
import {
  calm,
  createSimulation,
  type Faults,
  type Simulation,
  type Surroundings,
} from '../../../test/simulation/mod.ts'
import { ApiError } from '../client/api-error.ts'
import type { Client } from '../client/client.ts'
import { done } from '../controller/result.ts'
import { LeadershipLost } from '../election/election.ts'
import type { KubeObject } from '../objects/object.ts'
import { toSelf } from '../objects/owners.ts'
import { leases, resource } from '../objects/resource.ts'
import type { Store } from '../store/store.ts'
import { createManager, type Manager, type ManagerOptions } from './manager.ts'

type Job = KubeObject & { status?: { isDone: boolean } }

const jobs = resource<Job>({ group: 'example.test', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true })
const items = resource<KubeObject>({
  group: 'example.test',
  version: 'v1',
  plural: 'items',
  kind: 'Item',
  namespaced: true,
})
const leaseRef = { namespace: 'default', name: 'operator' }

type Options = Pick<ManagerOptions, 'health' | 'namespaces'> & {
  isAlone?: boolean
  /** The namespaces whose lists and new watches the server denies; it may change. */
  denied?: ReadonlySet<string>
  /** It also reads items, of all namespaces, also of denied ones. */
  readsItems?: boolean
}

/** The client without access to some namespaces, as if their Roles were deleted. */
const denying = (client: Client, denied: ReadonlySet<string>): Client => {
  const check = ({ plural }: { plural: string }, { namespace = '' }: { namespace?: string } = {}) => {
    if (plural !== items.plural && denied.has(namespace))
      throw new ApiError(403, { reason: 'Forbidden', message: `no access to ${namespace}` })
  }
  return {
    ...client,
    list: async (resource, options) => {
      check(resource, options)
      return client.list(resource, options)
    },
    watch: async (resource, options) => {
      check(resource, options)
      return client.watch(resource, options)
    },
  }
}

/** An operator that takes five seconds to mark a job done. */
const operatorOf = (parts: Surroundings, given: Options = {}) => {
  const { isAlone = false, denied = new Set(), readsItems = false, ...options } = given
  const election = { client: parts.client, ...leaseRef }
  const client = denying(parts.client, denied)
  const manager = createManager({ name: 'test', ...parts, client, ...(isAlone ? {} : { election }), ...options })
  const store = manager.cache(jobs, { freeze: true })
  if (readsItems) manager.cache(items, { isGrantedClusterWide: true })
  const controller = manager.controller({
    name: 'jobs',
    reconcile: async (key) => {
      const job = store.get(key)
      if (!job || job.status?.isDone) return done
      await parts.clock.sleep(5_000)
      await manager.client.patch(
        jobs,
        job.metadata,
        { type: 'merge', body: { status: { isDone: true } } },
        { subresource: 'status' },
      )
      return done
    },
  })
  controller.watch(store, toSelf)
  const stop = new AbortController()
  const outcome: { ended: boolean; error?: unknown } = { ended: false }
  const begin = () =>
    void manager.run(stop.signal).then(
      () => (outcome.ended = true),
      (error) => Object.assign(outcome, { ended: true, error }),
    )
  return { manager, store, stop, outcome, begin }
}

const start = (simulation: Simulation, name: string, options?: Options) => {
  let operator: ReturnType<typeof operatorOf> | undefined
  const process = simulation.spawn(name, (parts) => {
    operator = operatorOf(parts, options)
    operator.begin()
  })
  if (!operator) throw new Error('the process did not start')
  return { process, ...operator }
}

const create = (faults: Faults = calm) => createSimulation({ seed: 1, faults })

const addJob = ({ storage }: Simulation, name: string, namespace = 'default') =>
  storage.create(jobs, { metadata: { name, namespace } })

const isDone = ({ storage }: Simulation, name: string, namespace = 'default') =>
  storage.get(jobs, { namespace, name }).status?.isDone

const get = async (manager: Manager, path: string) => {
  const response = await fetch(`http://127.0.0.1:${manager.healthPort()}${path}`)
  return { status: response.status, text: await response.text() }
}

/** Runs the real event loop, for example until a port listens; the simulated clock stands still. */
const turn = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('only the leader works, and a standby takes over with a filled cache', async () => {
  const simulation = create()
  const first = start(simulation, 'first')
  await simulation.clock.advance(1_000)
  const second = start(simulation, 'second')
  let isFilled = false
  void second.manager.filled().then(() => (isFilled = true))
  addJob(simulation, 'a')
  await simulation.clock.advance(10_000)
  expect(isFilled).toBe(true)
  expect(simulation.storage.get(jobs, { namespace: 'default', name: 'a' }).status?.isDone).toBe(true)
  expect(second.store.size).toBe(1)
  const writers = new Set<string>()
  simulation.storage.onCommit(({ by }) => writers.add(by))
  first.process.kill()
  addJob(simulation, 'b')
  await simulation.clock.advance(30_000)
  expect([...writers]).toEqual(['', 'second'])
  expect(simulation.storage.get(jobs, { namespace: 'default', name: 'b' }).status?.isDone).toBe(true)
})

test('on shutdown it drains running work, starts none and releases the lease last', async () => {
  const simulation = create()
  const operator = start(simulation, 'first')
  await simulation.clock.advance(1_000)
  for (const name of ['a', 'b']) addJob(simulation, name)
  await simulation.clock.advance(1_000)
  const commits: string[] = []
  simulation.storage.onCommit(({ resource: { plural }, object }) => commits.push(`${plural} ${object.metadata.name}`))
  operator.stop.abort()
  await simulation.clock.advance(60_000)
  expect(operator.outcome).toEqual({ ended: true })
  expect(commits.filter((commit) => commit.startsWith('jobs'))).toEqual(['jobs a'])
  expect(commits.at(-1)).toBe('leases operator')
  expect(simulation.storage.get(leases, leaseRef).spec?.holderIdentity).toBeUndefined()
})

test('whileLeading work runs on the leader only, from filled caches until shutdown', async () => {
  const simulation = create()
  const reported: string[] = []
  const startWith = (name: string) => {
    const operator = start(simulation, name)
    operator.manager.whileLeading(async (signal) => {
      reported.push(`${name} begins with ${operator.store.size}`)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      reported.push(`${name} ends`)
    })
    return operator
  }
  addJob(simulation, 'a')
  const first = startWith('first')
  await simulation.clock.advance(1_000)
  const second = startWith('second')
  await simulation.clock.advance(30_000)
  expect(reported).toEqual(['first begins with 1'])
  first.stop.abort()
  await simulation.clock.advance(30_000)
  expect(reported).toEqual(['first begins with 1', 'first ends', 'second begins with 1'])
  expect([first.outcome, second.outcome]).toEqual([{ ended: true }, { ended: false }])
})

test('a standby that was disconnected takes over with everything written meanwhile', async () => {
  const begun: number[] = []
  for (let late = 0; late < 3_000; late += 150) {
    const simulation = create()
    const first = start(simulation, 'first')
    await simulation.clock.advance(1_000)
    const second = start(simulation, 'second')
    second.manager.whileLeading(async () => void begun.push(second.store.size))
    await simulation.clock.advance(5_000)
    simulation.isolate(second.process, 20_000 + late)
    first.process.kill()
    for (const name of ['a', 'b']) addJob(simulation, name)
    await simulation.clock.advance(60_000)
  }
  expect(begun).toEqual(Array.from({ length: 20 }, () => 2))
})

test('caches cover the configured namespaces, with one watch each', async () => {
  const simulation = create()
  const add = (namespace: string) => simulation.storage.create(jobs, { metadata: { name: 'a', namespace } })
  for (const namespace of ['one', 'two', 'three']) add(namespace)
  let store: Store<Job> | undefined
  simulation.spawn('operator', (parts) => {
    const manager = createManager({ name: 'test', ...parts, namespaces: ['one', 'two'] })
    store = manager.cache(jobs)
    manager.controller({ name: 'idle', reconcile: async () => done })
    void manager.run(new AbortController().signal)
  })
  await simulation.clock.advance(5_000)
  expect([...(store?.keys() ?? [])].sort()).toEqual(['one/a', 'two/a'])
  simulation.storage.delete(jobs, { name: 'a', namespace: 'one' })
  simulation.storage.create(jobs, { metadata: { name: 'b', namespace: 'two' } })
  await simulation.clock.advance(5_000)
  expect([...(store?.keys() ?? [])].sort()).toEqual(['two/a', 'two/b'])
})

const namespaces = ['default', 'team']

test('a namespace whose access is denied, because it was deleted, does not stop the work in the others', async () => {
  const simulation = create()
  const health = { host: '127.0.0.1', port: 0 }
  const { manager } = start(simulation, 'first', { namespaces, denied: new Set(['team']), health })
  await turn(() => manager.healthPort() !== undefined)
  addJob(simulation, 'a')
  addJob(simulation, 'b', 'team')
  await simulation.clock.advance(20_000)
  // The Role may not be in effect yet.
  expect((await get(manager, '/readyz')).status).toBe(503)
  expect(isDone(simulation, 'a')).toBeUndefined()
  await simulation.clock.advance(300_000)
  expect(await get(manager, '/readyz')).toEqual({ status: 200, text: 'ok\n' })
  expect([isDone(simulation, 'a'), isDone(simulation, 'b', 'team')]).toEqual([true, undefined])
})

test('a deleted namespace does not stop the work in the others although the whole cluster can be read', async () => {
  const simulation = create()
  const denied = new Set(['team'])
  const options = { namespaces, denied, readsItems: true, health: { host: '127.0.0.1', port: 0 } }
  const { manager, outcome } = start(simulation, 'first', options)
  await turn(() => manager.healthPort() !== undefined)
  addJob(simulation, 'a')
  await simulation.clock.advance(300_000)
  expect(outcome).toEqual({ ended: false })
  expect(await get(manager, '/readyz')).toEqual({ status: 200, text: 'ok\n' })
  expect(isDone(simulation, 'a')).toBe(true)
})

test('a standby takes over, and stays ready, after a namespace was deleted', async () => {
  const simulation = create()
  const denied = new Set<string>()
  const options = { namespaces, denied }
  const first = start(simulation, 'first', options)
  await simulation.clock.advance(1_000)
  const { manager } = start(simulation, 'second', { ...options, health: { host: '127.0.0.1', port: 0 } })
  await turn(() => manager.healthPort() !== undefined)
  await simulation.clock.advance(5_000)
  denied.add('team')
  // Watches are denied once the open ones end.
  await simulation.clock.advance(1_200_000)
  expect((await get(manager, '/readyz')).status).toBe(200)
  first.process.kill()
  addJob(simulation, 'a')
  await simulation.clock.advance(60_000)
  expect(isDone(simulation, 'a')).toBe(true)
})

test('the manager rejects once a namespace is within reach again, since its caches are not filled', async () => {
  const simulation = create()
  const denied = new Set(['team'])
  const operator = start(simulation, 'first', { namespaces, denied })
  await simulation.clock.advance(120_000)
  expect(operator.outcome.ended).toBe(false)
  denied.clear()
  await simulation.clock.advance(120_000)
  expect(operator.outcome.error).toMatchObject({
    message: expect.stringMatching(/^The namespace team is within reach/),
  })
})

test("the manager fails if access to the operator's own namespace is denied", async () => {
  const simulation = create()
  const operator = start(simulation, 'first', { namespaces, denied: new Set(['default']) })
  await simulation.clock.advance(121_000)
  expect(operator.outcome.error).toMatchObject({ message: 'The caches were not filled within 120 s: jobs.' })
})

test('an abort while waiting for caches or for leadership stops the manager', async () => {
  for (const faults of [calm, { ...calm, refused: 1 }]) {
    const simulation = create()
    start(simulation, 'first')
    await simulation.clock.advance(5_000)
    simulation.weather(faults)
    const waiting = start(simulation, 'second')
    await simulation.clock.advance(5_000)
    waiting.stop.abort()
    await simulation.clock.advance(5_000)
    expect(waiting.outcome).toEqual({ ended: true })
  }
})

test('the manager fails if caches are not filled within two minutes, and names them', async () => {
  const simulation = create({ ...calm, refused: 1 })
  const operator = start(simulation, 'first')
  await simulation.clock.advance(119_000)
  expect(operator.outcome.ended).toBe(false)
  await simulation.clock.advance(2_000)
  expect(operator.outcome.error).toMatchObject({ message: 'The caches were not filled within 120 s: jobs.' })
})

test('the manager rejects with LeadershipLost if it cannot renew, without waiting for running work', async () => {
  const simulation = create()
  const operator = start(simulation, 'first')
  await simulation.clock.advance(5_000)
  simulation.weather({ ...calm, refused: 1 })
  await simulation.clock.advance(13_000)
  expect(operator.outcome.error).toBeInstanceOf(LeadershipLost)
})

test('the process is ready once caches are filled and the server is reachable, and live throughout', async () => {
  const simulation = create({ ...calm, refused: 1 })
  const { manager, stop, outcome } = start(simulation, 'first', { health: { host: '127.0.0.1', port: 0 } })
  await turn(() => manager.healthPort() !== undefined)
  await simulation.clock.advance(5_000)
  expect(await get(manager, '/readyz')).toEqual({ status: 503, text: 'The cache of jobs is not filled yet.\n' })
  expect(await get(manager, '/healthz')).toEqual({ status: 200, text: 'ok\n' })
  simulation.weather(calm)
  await simulation.clock.advance(60_000)
  expect(await get(manager, '/readyz')).toEqual({ status: 200, text: 'ok\n' })
  await simulation.clock.advance(600_000)
  expect((await get(manager, '/readyz')).status).toBe(200)
  expect((await get(manager, '/elsewhere')).status).toBe(404)
  stop.abort()
  await simulation.clock.advance(60_000)
  await turn(() => outcome.ended)
  expect(manager.healthPort()).toBeUndefined()
})

test('a cache that receives nothing makes the process not ready', async () => {
  const simulation = create()
  const { manager } = start(simulation, 'first', {
    health: { host: '127.0.0.1', port: 0 },
    // With an election, losing the lease would end the manager first.
    isAlone: true,
  })
  await turn(() => manager.healthPort() !== undefined)
  await simulation.clock.advance(60_000)
  expect((await get(manager, '/readyz')).status).toBe(200)
  simulation.weather({ ...calm, refused: 1, cut: 1 })
  await simulation.clock.advance(300_000)
  const ready = await get(manager, '/readyz')
  expect(ready.status).toBe(503)
  expect(ready.text).toMatch(/^The cache of jobs has received nothing for \d+ s\.$/m)
  expect((await get(manager, '/healthz')).status).toBe(200)
})
