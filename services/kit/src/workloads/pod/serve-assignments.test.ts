import { type Bus, createMemoryBus } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import { silentLog } from '@trellis/kit/telemetry'
import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { performTask } from '@trellis/test/probe/perform-task'
import type { ProbeTask } from '@trellis/test/probe/task'
import { collect, take } from '@trellis/test/support/collect'
import { reportsSoFar } from '@trellis/test/support/reports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { assignmentsOf, inputsOf, type Report, runTopic, type Work, watchRun, workerEvents } from '../mod.ts'
import { serveAssignments, type WorkerEnd } from './serve-assignments.ts'

let bus: Bus
let stop: AbortController
beforeEach(() => {
  bus = createMemoryBus()
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await bus[Symbol.asyncDispose]()
})

const publishInput = (runId: string, task: ProbeTask) =>
  bus.publish(inputsOf.search(runId), { runId, input: Buffer.from(JSON.stringify(task)) })
const assign = (runId: string, podUid = 'pod') => bus.publish(assignmentsOf.search(podUid), { runId, ends: false })
const release = () => bus.publish(assignmentsOf.search('pod'), { runId: '', ends: true })

type WorkerOptions = { worker?: string; work?: Work; through?: Bus; lingerMilliseconds?: number }

/** Starts a worker in a pod; `ready` resolves when it receives assignments. */
const startWorker = ({
  worker = 'pod-1',
  work = performTask,
  through = bus,
  lingerMilliseconds = 10,
}: WorkerOptions = {}) => {
  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>()
  const ended = serveAssignments({
    bus: through,
    work,
    kind: 'search',
    worker,
    podUid: 'pod',
    lingerMilliseconds,
    reportWithinMilliseconds: 60_000,
    flushWithinMilliseconds: 1_000,
    signal: stop.signal,
    log: silentLog,
    onReady,
  })
  return { ready, ended }
}

const reportsOf = (runId: string) => collect(watchRun(bus, { kind: 'search', runId }, stop.signal))
const kinds = (reports: readonly Report[]) => reports.map(({ $case }) => $case).filter((kind) => kind !== 'progress')

/** The events that the operator receives, until this kind of event of this run. */
const receivedUntil = async (runId: string, last: string): Promise<RunEvent[]> => {
  const received: RunEvent[] = []
  const enough = new AbortController()
  await bus.work(
    workerEvents.search,
    async ({ value }) => {
      received.push(value)
      if (value.runId === runId && value.event?.$case === last) enough.abort()
    },
    { signal: AbortSignal.any([enough.signal, stop.signal]) },
  )
  return received
}
const eventKinds = (events: readonly RunEvent[]) =>
  events.map(({ event }) => event?.$case).filter((kind) => kind !== 'progress')

test('a worker does its assigned run, reports it in order, and ends when no assignment follows', async () => {
  const { ready, ended } = startWorker()
  await ready
  await publishInput('run', { do: 'work', steps: 3 })
  await assign('run')
  const reports = await reportsOf('run')
  expect(kinds(reports)).toEqual(['started', 'output', 'output', 'output', 'completed'])
  expect(reports[0]).toEqual({ $case: 'started', value: { worker: 'pod-1', warm: true } })
  expect(reports.at(-1)).toMatchObject({ $case: 'completed' })
  expect(eventKinds(await receivedUntil('run', 'worked'))).toEqual(['started', 'worked'])
  expect(await ended).toBe<WorkerEnd>('completed')
})

test('a run that was assigned before its worker started is reported as started cold', async () => {
  await assign('run')
  const { ended } = startWorker()
  const reports = reportsOf('run')
  await publishInput('run', { do: 'work', steps: 0 })
  expect((await reports)[0]).toMatchObject({ value: { warm: false } })
  expect(await ended).toBe('completed')
})

test('runs after the first are done in order, and the worker continues when one of them fails', async () => {
  const { ended } = startWorker({ lingerMilliseconds: 5_000 })
  await publishInput('run', { do: 'work', steps: 0 })
  await publishInput('child-1', { do: 'fail', kind: 'internal', detail: 'an internal error' })
  await publishInput('child-2', { do: 'work', steps: 1 })
  await assign('run')
  await assign('child-1')
  await assign('child-2')
  expect(kinds(await reportsOf('child-1'))).toEqual(['started', 'failed'])
  expect(kinds(await reportsOf('child-2'))).toEqual(['started', 'output', 'completed'])
  stop.abort()
  expect(await ended).toBe('completed')
})

test('a worker ends at an assignment with `ends`, after its earlier assignments', async () => {
  const { ended } = startWorker({ lingerMilliseconds: 60_000 })
  await publishInput('run', { do: 'work', steps: 1 })
  await assign('run')
  await release()
  expect(kinds(await reportsOf('run'))).toEqual(['started', 'output', 'completed'])
  expect(await ended).toBe('completed')
  // Restarted in its pod, it reads the same assignments, repeats none, and ends.
  expect(await startWorker({ lingerMilliseconds: 60_000 }).ended).toBe('completed')
})

test('a run that fails because of its task is reported as failed, and the worker ends as failed', async () => {
  const { ended } = startWorker()
  await publishInput('run', { do: 'fail', kind: 'upstream_failed', detail: 'It was refused.', retryAfterSeconds: 7 })
  await assign('run')
  expect((await reportsOf('run')).at(-1)).toEqual({
    $case: 'failed',
    value: { reason: 'Failed', kind: 'upstream_failed', detail: 'It was refused.', retryAfterSeconds: 7 },
  })
  expect((await receivedUntil('run', 'failed')).at(-1)?.event).toMatchObject({ value: { detail: 'It was refused.' } })
  expect(await ended).toBe('failed')
})

test('an internal error is not reported, since another worker may repeat the run', async () => {
  await publishInput('run', { do: 'fail', kind: 'internal', detail: 'A fault.' })
  await assign('run')
  const { ended } = startWorker()
  expect(await ended).toBe('broken')
  const second = startWorker({ worker: 'pod-2', work: async () => Buffer.from('well') })
  const reports = await reportsOf('run')
  expect(kinds(reports)).toEqual(['started', 'started', 'completed'])
  expect(await second.ended).toBe('completed')
})

test('a run whose work fails while a server is down is restarted in the same worker', async () => {
  let attempts = 0
  const work: Work = async (assignment) => {
    assignment.output(Buffer.from('found'))
    attempts += 1
    if (attempts < 3) throw serviceError('unavailable', 'The message server is away.')
    return Buffer.from('well')
  }
  await publishInput('run', { do: 'work', steps: 0 })
  await assign('run')
  const { ended } = startWorker({ work })
  expect(kinds(await reportsOf('run'))).toEqual([
    ...['started', 'output', 'started', 'output'],
    ...['started', 'output', 'completed'],
  ])
  expect(await ended).toBe('completed')
})

test('a run that fails as unavailable with its own reason is not restarted', async () => {
  const work = vi.fn(async () => {
    throw Object.assign(serviceError('unavailable', 'The site is left alone.'), { reason: 'BreakerOpen' })
  })
  await publishInput('run', { do: 'work', steps: 0 })
  await assign('run')
  const { ended } = startWorker({ work })
  expect((await reportsOf('run')).at(-1)).toMatchObject({ value: { reason: 'BreakerOpen' } })
  expect([await ended, work.mock.calls.length]).toEqual(['failed', 1])
})

test('a worker that is stopped during a run reports no end of the run', async () => {
  const { ended } = startWorker()
  await publishInput('run', { do: 'wait' })
  await assign('run')
  await take(bus.subscribe(runTopic.search('run'), { after: 'start', signal: stop.signal }), 1)
  stop.abort()
  expect(await ended).toBe('stopped')
  expect(kinds(await reportsSoFar(bus, 'run'))).toEqual(['started'])
})

test('a worker that is stopped without a run ends as idle', async () => {
  const { ready, ended } = startWorker()
  await ready
  stop.abort()
  expect(await ended).toBe('idle')
})

test('a run that has ended before is not repeated, but its event is sent again', async () => {
  await publishInput('run', { do: 'work', steps: 0 })
  await assign('run')
  await startWorker().ended
  await receivedUntil('run', 'worked')
  const work = vi.fn(performTask)
  expect(await startWorker({ work }).ended).toBe('completed')
  expect(work).not.toHaveBeenCalled()
  expect(eventKinds(await receivedUntil('run', 'worked'))).toEqual(['worked'])
})

test('a worker abandons a run that the operator ends', async () => {
  const { ended } = startWorker()
  await publishInput('run', { do: 'wait' })
  await assign('run')
  await take(bus.subscribe(runTopic.search('run'), { after: 'start', signal: stop.signal }), 1)
  const failed = { reason: 'Cancelled', detail: 'It was cancelled.', kind: 'conflict' }
  await bus.publish(runTopic.search('run'), { runId: 'run', report: { $case: 'failed', value: failed } })
  expect(await ended).toBe('failed')
})

test('a worker abandons a run that another worker has started since', async () => {
  const { ended } = startWorker()
  await publishInput('run', { do: 'wait' })
  await assign('run')
  await take(bus.subscribe(runTopic.search('run'), { after: 'start', signal: stop.signal }), 1)
  const started = { worker: 'pod-2', warm: false }
  await bus.publish(runTopic.search('run'), { runId: 'run', report: { $case: 'started', value: started } })
  expect(await ended).toBe('stopped')
})

test('a report whose acknowledgement is lost is sent again, and read once', async () => {
  let outputs = 0
  const through: Bus = {
    ...bus,
    publish: async (topic, event) => {
      const sequence = await bus.publish(topic, event)
      if ((event as { report?: Report }).report?.$case === 'output') outputs += 1
      else return sequence
      if (outputs === 1) throw serviceError('unavailable', 'It was not acknowledged.')
      return sequence
    },
  }
  const { ended } = startWorker({ through })
  await publishInput('run', { do: 'work', steps: 2 })
  await assign('run')
  const reports = await reportsOf('run')
  expect(outputs).toBe(3)
  expect(kinds(reports)).toEqual(['started', 'output', 'output', 'completed'])
  expect(await ended).toBe('completed')
})

test('output that is too large for the bus fails its run as `too_large`', async () => {
  const through: Bus = {
    ...bus,
    publish: async (topic, event) => {
      if ((event as { report?: Report }).report?.$case === 'output')
        throw serviceError('too_large', 'It has too many bytes.')
      return bus.publish(topic, event)
    },
  }
  const { ended } = startWorker({ through })
  await publishInput('run', { do: 'work', steps: 1 })
  await assign('run')
  expect((await reportsOf('run')).at(-1)).toMatchObject({ $case: 'failed', value: { kind: 'too_large' } })
  expect(await ended).toBe('failed')
})
