import { createMemoryBus } from '@trellis/kit/bus'
import { createMetrics, silentLog } from '@trellis/kit/telemetry'
import { workerEvents } from '@trellis/kit/workloads'
import { expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { type Search, searches } from '../crds/mod.ts'
import { createQueue, createRuntimeMetrics, createStore, systemClock } from '../runtime/mod.ts'
import { attendRuns } from './attend.ts'
import { createReporters } from './reporter.ts'
import { createRunEvents } from './run-events.ts'
import { runIndexes } from './run-id.ts'

/** A queue of a controller whose runs are attended, and the bus that their events arrive on. */
const attend = (objects: readonly Search[]) => {
  const bus = createMemoryBus()
  const clock = systemClock
  const events = createRunEvents({ bus, clock, log: silentLog })
  const metrics = createRuntimeMetrics(createMetrics({ processMetrics: false }))
  const queue = createQueue({ name: 'search', clock, metrics })
  const store = createStore<Search>({ freeze: true, indexes: runIndexes })
  store.replace({ objects: [...objects], version: '1', initial: true })
  attendRuns(
    { whileLeading: () => undefined },
    { queue },
    {
      kind: 'search',
      resource: searches,
      store,
      events,
      reporter: createReporters(bus).search,
      clock,
      log: silentLog,
      onDeleted: () => undefined,
    },
  )
  const stop = new AbortController()
  const working = events.work(stop.signal)
  return {
    bus,
    events,
    queue,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await working
      queue.shutdown()
      await bus[Symbol.asyncDispose]()
    },
  }
}

const search = (name: string) =>
  ({
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' },
    spec: { query: 'thinkpad' },
    status: {},
  }) as unknown as Search

test('a run whose event waits for its status is reconciled before the new objects that queue', async () => {
  await using it = attend([search('old'), search('new-1'), search('new-2')])
  for (const name of ['new-1', 'new-2', 'old']) it.queue.add(`default/${name}`)
  const event = { $case: 'started', value: { worker: 'w-1', warm: false } } as const
  await it.bus.enqueue(workerEvents.search, { runId: 'obj-uid-old', event })
  await eventually(() => it.events.factsOf('obj-uid-old').started !== undefined, 'the event has arrived')
  const taken = [await it.queue.take(), await it.queue.take(), await it.queue.take()]
  expect(taken).toEqual(['default/old', 'default/new-1', 'default/new-2'])
})
