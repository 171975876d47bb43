import { createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { type RunKind, runEvents, workerEvents } from '@trellis/kit/workloads'
import { expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { type Clock, systemClock } from '../runtime/mod.ts'
import { createRunEvents } from './run-events.ts'

const started = { $case: 'started', value: { worker: 'w-1', warm: true } } as const
const concluded = { $case: 'concluded', value: { listingsFound: 41, marketPrice: 512.5 } } as const

/** Notices over a bus of their own, with one object, `default/a`, of the run `run-a`. */
const listen = (known: Record<string, string> = { 'run-a': 'default/a' }, clock: Clock = systemClock) => {
  const bus = createMemoryBus()
  const events = createRunEvents({ bus, clock, log: silentLog })
  const enqueued: string[] = []
  events.read({ kind: 'search', keyOf: (runId) => known[runId], enqueue: (key) => void enqueued.push(key) })
  const stop = new AbortController()
  const working = events.work(stop.signal)
  return {
    bus,
    events,
    enqueued,
    known,
    tellAsWorker: (kind: RunKind, runId: string, event: object) =>
      bus.enqueue(workerEvents[kind], { runId, event } as never),
    tell: (runId: string, event: object) => bus.enqueue(runEvents, { runId, event } as never),
    /** Under one id, so that the answer says whether the notice before it is still there. */
    tellOnce: (runId: string, event: object) => bus.enqueue(runEvents, { runId, event } as never, 'once'),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await working
      await bus[Symbol.asyncDispose]()
    },
  }
}

test('a notice becomes a fact, has its object looked at, and stays in the queue until a status says it', async () => {
  await using it = listen()
  await it.tellOnce('run-a', started)
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  const facts = it.events.factsOf('run-a')
  expect(facts).toMatchObject({ version: 1, started: { worker: 'w-1', warm: true } })
  expect(await it.tellOnce('run-a', started)).toBe(false)
  it.events.reflected('run-a', facts.version)
  await eventually(() => it.tellOnce('run-a', started), 'the notice is acknowledged')
})

test('what is not reflected in time comes again, and is then acknowledged at once when it is', async () => {
  await using it = listen()
  await it.tellOnce('run-a', concluded)
  await eventually(() => it.enqueued.length >= 2, 'the notice came again')
  const facts = it.events.factsOf('run-a')
  expect(facts).toMatchObject({ version: 1, concluded: { listingsFound: 41, marketPrice: 512.5 } })
  it.events.reflected('run-a', facts.version)
  await eventually(() => it.tellOnce('run-a', concluded), 'the notice is acknowledged')
})

test('a run that is forgotten has its notices acknowledged, and nothing is kept of it', async () => {
  await using it = listen()
  await it.tellOnce('run-a', { $case: 'cancelled', value: {} })
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  it.events.forget('run-a')
  expect(it.events.factsOf('run-a').version).toBe(0)
  await eventually(() => it.tellOnce('run-a', started), 'the notice is acknowledged')
})

test('a run whose object comes late is heard of when it is there', async () => {
  await using it = listen({})
  await it.tell('run-a', started)
  await new Promise(setImmediate)
  expect(it.enqueued).toEqual([])
  it.known['run-a'] = 'default/a'
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  it.events.forget('run-a')
})

test('what is said of a run that nobody has is let go, rather than kept as a failure', async () => {
  await using it = listen({})
  await it.tellOnce('run-b', started)
  expect(await it.tellOnce('run-b', started)).toBe(false)
  await eventually(() => it.tellOnce('run-b', started), 'the notice is acknowledged')
  expect(await it.bus.deadLetters(runEvents)).toEqual([])
})

test('the last word on a run does not stand in line behind a hundred workers whose statuses are yet to say that they are done', async () => {
  const runs = Array.from({ length: 100 }, (_, at) => `run-${at}`)
  const known = Object.fromEntries(runs.map((runId) => [runId, `default/${runId}`]))
  // Nobody ever loses patience, so that only another place in line can help.
  const untilAborted = (_: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  await using it = listen(known, { ...systemClock, sleep: untilAborted })
  for (const runId of runs) await it.tell(runId, { $case: 'worked', value: {} })
  await it.tell('run-0', concluded)
  await eventually(() => it.events.factsOf('run-0').concluded !== undefined, 'the last word is heard')
})

test('a worker reports on runs of its kind only, and ends none: what else it says is ignored', async () => {
  await using it = listen()
  await it.tellAsWorker('search', 'run-a', { $case: 'concluded', value: {} })
  await it.tellAsWorker('search', 'run-a', { $case: 'cancelled', value: {} })
  await it.tellAsWorker('generation', 'run-a', { $case: 'worked', value: {} })
  await it.tellAsWorker('search', 'run-a', started)
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  const facts = it.events.factsOf('run-a')
  expect(facts).toMatchObject({ version: 1, started: { worker: 'w-1', warm: true } })
  it.events.reflected('run-a', facts.version)
  await it.tellAsWorker('search', 'run-a', { $case: 'worked', value: {} })
  await eventually(() => it.events.factsOf('run-a').worked !== undefined, 'the worker is heard')
  expect(it.events.factsOf('run-a')).toMatchObject({ version: 2 })
  it.events.reflected('run-a', 2)
})
