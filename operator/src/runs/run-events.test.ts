import { createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { type RunKind, runEvents, workerEvents } from '@trellis/kit/workloads'
import { expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { type Clock, systemClock } from '../runtime/mod.ts'
import { createRunEvents } from './run-events.ts'

const started = { $case: 'started', value: { worker: 'w-1', warm: true } } as const
const progress = { $case: 'progress', value: { fraction: 0.5, detail: 'Half.' } } as const
const concluded = { $case: 'concluded', value: { listingsFound: 41, marketPrice: 512.5 } } as const

/** Run events over a separate bus, with one object, `default/a`, of the run `run-a`. */
const listen = (known: Record<string, string> = { 'run-a': 'default/a' }, clock: Clock = systemClock) => {
  const bus = createMemoryBus()
  const events = createRunEvents({ bus, clock, log: silentLog })
  const enqueued: string[] = []
  events.read({
    kind: 'search',
    ignored: new Set(['progress']),
    keyOf: (runId) => known[runId],
    enqueue: (key) => void enqueued.push(key),
  })
  const stop = new AbortController()
  const working = events.work(stop.signal)
  return {
    bus,
    events,
    enqueued,
    known,
    publishAsWorker: (kind: RunKind, runId: string, event: object) =>
      bus.enqueue(workerEvents[kind], { runId, event } as never),
    publish: (runId: string, event: object) => bus.enqueue(runEvents, { runId, event } as never),
    /** Uses a fixed id, so that the result shows whether the previous event is still queued. */
    publishOnce: (runId: string, event: object) => bus.enqueue(runEvents, { runId, event } as never, 'once'),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await working
      await bus[Symbol.asyncDispose]()
    },
  }
}

test('an event becomes a fact, enqueues its object, and stays queued until the status reflects it', async () => {
  await using it = listen()
  await it.publishOnce('run-a', started)
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  const facts = it.events.factsOf('run-a')
  expect(facts).toMatchObject({ version: 1, started: { worker: 'w-1', warm: true } })
  expect(await it.publishOnce('run-a', started)).toBe(false)
  it.events.reflected('run-a', facts.version)
  await eventually(() => it.publishOnce('run-a', started), 'the event is acknowledged')
})

test('an event that the runs of its kind do not depend on is acknowledged at once and enqueues nothing', async () => {
  await using it = listen()
  await it.publishOnce('run-a', progress)
  await eventually(() => it.publishOnce('run-a', progress), 'the event is acknowledged')
  expect([it.enqueued, it.events.factsOf('run-a').version]).toEqual([[], 0])
})

test('an event that is not reflected in time is redelivered, and acknowledged once it is reflected', async () => {
  await using it = listen()
  await it.publishOnce('run-a', concluded)
  await eventually(() => it.enqueued.length >= 2, 'the event is redelivered')
  const facts = it.events.factsOf('run-a')
  expect(facts).toMatchObject({ version: 1, concluded: { listingsFound: 41, marketPrice: 512.5 } })
  it.events.reflected('run-a', facts.version)
  await eventually(() => it.publishOnce('run-a', concluded), 'the event is acknowledged')
})

test('dropping a run acknowledges its events and discards its facts', async () => {
  await using it = listen()
  await it.publishOnce('run-a', { $case: 'cancelled', value: {} })
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  it.events.drop('run-a')
  expect(it.events.factsOf('run-a').version).toBe(0)
  await eventually(() => it.publishOnce('run-a', started), 'the event is acknowledged')
})

test('events of a run whose object arrives late are delivered once it exists', async () => {
  await using it = listen({})
  await it.publish('run-a', started)
  await new Promise(setImmediate)
  expect(it.enqueued).toEqual([])
  it.known['run-a'] = 'default/a'
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  it.events.drop('run-a')
})

test('events of an unknown run are discarded, not dead-lettered', async () => {
  await using it = listen({})
  await it.publishOnce('run-b', started)
  expect(await it.publishOnce('run-b', started)).toBe(false)
  await eventually(() => it.publishOnce('run-b', started), 'the event is acknowledged')
  expect(await it.bus.deadLetters(runEvents)).toEqual([])
})

test('the final event of a run is not blocked by a hundred events awaiting their statuses', async () => {
  const runs = Array.from({ length: 100 }, (_, at) => `run-${at}`)
  const known = Object.fromEntries(runs.map((runId) => [runId, `default/${runId}`]))
  // No redelivery ever times out, so only concurrency can help.
  const untilAborted = (_: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  await using it = listen(known, { ...systemClock, sleep: untilAborted })
  for (const runId of runs) await it.publish(runId, { $case: 'worked', value: {} })
  await it.publish('run-0', concluded)
  await eventually(() => it.events.factsOf('run-0').concluded !== undefined, 'the final event is handled')
})

test('a worker reports only on runs of its kind and ends none: its other events are ignored', async () => {
  await using it = listen()
  await it.publishAsWorker('search', 'run-a', { $case: 'concluded', value: {} })
  await it.publishAsWorker('search', 'run-a', { $case: 'cancelled', value: {} })
  await it.publishAsWorker('generation', 'run-a', { $case: 'worked', value: {} })
  await it.publishAsWorker('search', 'run-a', started)
  await eventually(() => it.enqueued.length > 0, 'the object is looked at')
  const facts = it.events.factsOf('run-a')
  expect(facts).toMatchObject({ version: 1, started: { worker: 'w-1', warm: true } })
  it.events.reflected('run-a', facts.version)
  await it.publishAsWorker('search', 'run-a', { $case: 'worked', value: {} })
  await eventually(() => it.events.factsOf('run-a').worked !== undefined, 'the event of the worker is handled')
  expect(it.events.factsOf('run-a')).toMatchObject({ version: 2 })
  it.events.reflected('run-a', 2)
})
