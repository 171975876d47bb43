import { createMemoryBus } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import { connectInProcess, type RpcClient } from '@trellis/kit/rpc'
import { silentLog } from '@trellis/kit/telemetry'
import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ProbeTask } from '@trellis/test/probe/task'
import { collect, take } from '@trellis/test/support/collect'
import { afterEach, expect, test } from 'vitest'
import { createLocalWorkloads, type Report, type RunToStream, runTopic, streamRun, watchRun } from './mod.ts'

type Client = RpcClient<typeof WorkloadsServiceDefinition>

const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of resources.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

const openRuntime = (bus: ReturnType<typeof createMemoryBus>) => {
  const runtime = createLocalWorkloads({
    bus,
    log: silentLog,
    kinds: {
      WORKLOAD_SEARCH: {
        module: new URL('../../../../test/probe/worker.ts', import.meta.url),
        environment: {},
        concurrency: 2,
        warm: 0,
        idleMilliseconds: 10_000,
        runsPerWorker: 10,
        memoryMegabytes: 64,
        residentMegabytes: 512,
      },
    },
  })
  resources.push(runtime)
  return { runtime, client: connectInProcess(WorkloadsServiceDefinition, runtime.handlers) }
}

const open = () => {
  const bus = createMemoryBus()
  resources.push(bus)
  return { bus, ...openRuntime(bus) }
}

const never = new AbortController().signal
const quick = { signal: never, idleMilliseconds: 300 }

const request = (task: ProbeTask, runId = 'run'): RunToStream => ({
  runId,
  workload: 'WORKLOAD_SEARCH',
  input: Buffer.from(JSON.stringify(task)),
  activeDeadlineSeconds: 60,
  user: 'local',
})

const last = (reports: Report[]) => reports.at(-1)?.$case
const starts = (reports: Report[]) => reports.filter(({ $case }) => $case === 'started').length

/** A service that can be replaced behind its clients, as after a restart. */
const replaceable = (first: Pick<Client, 'run'>) => {
  let current = first
  let requested = 0
  return {
    workloads: {
      run: (...call: Parameters<Client['run']>) => {
        requested += 1
        return current.run(...call)
      },
    },
    replace: (next: Pick<Client, 'run'>) => {
      current = next
    },
    requested: () => requested,
  }
}

const away: Pick<Client, 'run'> = {
  run: async () => {
    throw serviceError('unavailable', 'The service cannot be reached. Try again shortly.')
  },
}

test('streamRun yields all reports of a run, from `started` to `completed`', async () => {
  const { bus, client } = open()
  const reports = await collect(await streamRun({ bus, workloads: client }, request({ do: 'work', steps: 2 }), quick))
  expect(reports.map(({ $case }) => $case)).toEqual([
    'started',
    'progress',
    'output',
    'progress',
    'output',
    'completed',
  ])
})

test('a run that its runtime has lost is started again under the same id', async () => {
  const bus = createMemoryBus()
  resources.push(bus)
  // Accepts the run and loses it, like a runtime that is killed right after.
  const service = replaceable({ run: async () => ({ queued: true }) })
  const reports = await streamRun({ bus, workloads: service.workloads }, request({ do: 'work', steps: 1 }), quick)
  service.replace(openRuntime(bus).client)
  const all = await collect(reports)
  expect([last(all), starts(all)]).toEqual(['completed', 1])
  expect(service.requested()).toBeGreaterThan(1)
})

test('a run whose server stops is started again by the next server', async () => {
  const { bus, client, runtime } = open()
  const service = replaceable(client)
  const follow = { bus, workloads: service.workloads }
  const stop = new AbortController()
  const reports = await streamRun(follow, request({ do: 'wait' }), { ...quick, signal: stop.signal })
  const seen: Report[] = []
  for await (const report of reports) {
    seen.push(report)
    if (starts(seen) === 1 && report.$case === 'started') {
      await runtime[Symbol.asyncDispose]()
      service.replace(openRuntime(bus).client)
    } else if (starts(seen) === 2) stop.abort()
  }
  expect(seen.map(({ $case }) => $case)).toEqual(['started', 'started'])
})

test('a silent run in progress is requested again without being started again', async () => {
  const { bus, client } = open()
  const service = replaceable(client)
  const reports = await streamRun({ bus, workloads: service.workloads }, request({ do: 'wait' }), {
    ...quick,
    idleMilliseconds: 50,
  })
  const seen: Report[] = []
  for await (const report of reports) {
    seen.push(report)
    if (report.$case !== 'started') continue
    while (service.requested() < 3) {
      // `streamRun` sends no requests while its reader is busy, so the test sends them.
      await service.workloads.run(request({ do: 'wait' }))
    }
    await client.cancel({ runId: 'run' })
  }
  expect([last(seen), starts(seen)]).toEqual(['failed', 1])
})

test('a repeated request for an ended run republishes its last report without running it again', async () => {
  const { bus, client } = open()
  const run = request({ do: 'work', steps: 0 })
  await client.run(run)
  await collect(watchRun(bus, { kind: 'search', runId: 'run' }, never))
  expect(await client.run(run)).toEqual({ queued: false })
  const stored = await take(bus.subscribe(runTopic.search('run'), { after: 'start', signal: never }), 3)
  expect(stored.map((delivery) => delivery.kind === 'event' && delivery.event.report?.$case)).toEqual([
    'started',
    'completed',
    'completed',
  ])
})

test('the stream fails as unavailable when the service stays away beyond the retry budget', async () => {
  const { bus, client } = open()
  const service = replaceable(client)
  const run = request({ do: 'wait' })
  const reports = await streamRun({ bus, workloads: service.workloads }, run, {
    ...quick,
    idleMilliseconds: 20,
    retryBudgetMilliseconds: 200,
  })
  service.replace(away)
  await expect(collect(reports)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('with `retriesUnavailable`, the stream waits for a service that is not there yet', async () => {
  const { bus, client } = open()
  const service = replaceable(away)
  const options = { ...quick, retriesUnavailable: true }
  const reports = await streamRun({ bus, workloads: service.workloads }, request({ do: 'work', steps: 1 }), options)
  service.replace(client)
  expect(last(await collect(reports))).toBe('completed')
})

test('with `resumes`, earlier reports are read first, and no request is sent for a completed run', async () => {
  const { bus, client } = open()
  const run = request({ do: 'work', steps: 1 })
  await collect(await streamRun({ bus, workloads: client }, run, quick))
  const service = replaceable(away)
  const reports = await collect(
    await streamRun({ bus, workloads: service.workloads }, run, { ...quick, resumes: true }),
  )
  expect([last(reports), starts(reports), service.requested()]).toEqual(['completed', 1, 0])
})

test('a rejection of the first request is thrown by the call', async () => {
  const { bus, client } = open()
  await expect(
    streamRun({ bus, workloads: client }, request({ do: 'wait' }, 'Not-An-Id'), quick),
  ).rejects.toMatchObject({
    kind: 'invalid',
  })
  await expect(streamRun({ bus, workloads: away }, request({ do: 'wait' }), quick)).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

test('a bus failure while a report is processed is thrown to the reader, with no unhandled rejection', async () => {
  const { bus, client } = open()
  const failing: typeof bus = {
    ...bus,
    subscribe: (topic, options) => {
      const deliveries = bus.subscribe(topic, options)[Symbol.asyncIterator]()
      let calls = 0
      const next = async () => {
        calls += 1
        if (calls > 1) throw new Error('The bus has failed.')
        return deliveries.next()
      }
      return { [Symbol.asyncIterator]: () => ({ next }) }
    },
  }
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const read = async () => {
      // Node reports unhandled rejections after a turn of the event loop.
      for await (const _ of await streamRun(
        { bus: failing, workloads: client },
        request({ do: 'work', steps: 1 }),
        quick,
      ))
        await new Promise((resolve) => setImmediate(resolve))
    }
    await expect(read()).rejects.toThrow('The bus has failed.')
  } finally {
    process.off('unhandledRejection', note)
  }
  expect(unhandled).toEqual([])
})
