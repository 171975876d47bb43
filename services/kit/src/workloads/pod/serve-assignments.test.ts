import { type Bus, createMemoryBus } from '@trellis/kit/bus'
import { serviceError } from '@trellis/kit/errors'
import { silentLog } from '@trellis/kit/telemetry'
import type { RunEvent } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { performTask } from '../../../../../test/probe/perform-task.ts'
import type { ProbeTask } from '../../../../../test/probe/task.ts'
import { collect, take } from '../../../../../test/support/collect.ts'
import { reportsSoFar } from '../../../../../test/support/reports.ts'
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

const give = (runId: string, task: ProbeTask) =>
  bus.publish(inputsOf.search(runId), { runId, input: Buffer.from(JSON.stringify(task)) })
const assign = (runId: string, podUid = 'pod') => bus.publish(assignmentsOf.search(podUid), { runId, ends: false })
const release = () => bus.publish(assignmentsOf.search('pod'), { runId: '', ends: true })

type WorkerOptions = { worker?: string; work?: Work; through?: Bus; lingerMilliseconds?: number }

/** A worker in a pod; `ready` resolves when it is heard. */
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

/** What the operator hears, until this kind of notice of this run. */
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
const noticeKinds = (events: readonly RunEvent[]) =>
  events.map(({ event }) => event?.$case).filter((kind) => kind !== 'progress')

test('does the run that it is assigned, tells of it in order, and ends when nothing follows', async () => {
  const { ready, ended } = startWorker()
  await ready
  await give('run', { do: 'work', steps: 3 })
  await assign('run')
  const reports = await reportsOf('run')
  expect(kinds(reports)).toEqual(['started', 'output', 'output', 'output', 'completed'])
  expect(reports[0]).toEqual({ $case: 'started', value: { worker: 'pod-1', warm: true } })
  expect(reports.at(-1)).toMatchObject({ $case: 'completed' })
  expect(noticeKinds(await receivedUntil('run', 'worked'))).toEqual(['started', 'worked'])
  expect(await ended).toBe<WorkerEnd>('completed')
})

test('finds what was assigned before it began, and does not say then that it stood ready', async () => {
  await assign('run')
  const { ended } = startWorker()
  const reports = reportsOf('run')
  await give('run', { do: 'work', steps: 0 })
  expect((await reports)[0]).toMatchObject({ value: { warm: false } })
  expect(await ended).toBe('completed')
})

test('does what follows its first run in order, and goes on when one of those fails', async () => {
  const { ended } = startWorker({ lingerMilliseconds: 5_000 })
  await give('run', { do: 'work', steps: 0 })
  await give('child-1', { do: 'fail', kind: 'internal', detail: 'a fault of ours' })
  await give('child-2', { do: 'work', steps: 1 })
  await assign('run')
  await assign('child-1')
  await assign('child-2')
  expect(kinds(await reportsOf('child-1'))).toEqual(['started', 'failed'])
  expect(kinds(await reportsOf('child-2'))).toEqual(['started', 'output', 'completed'])
  stop.abort()
  expect(await ended).toBe('completed')
})

test('ends as soon as it is told that nothing follows, after what it was given before', async () => {
  const { ended } = startWorker({ lingerMilliseconds: 60_000 })
  await give('run', { do: 'work', steps: 1 })
  await assign('run')
  await release()
  expect(kinds(await reportsOf('run'))).toEqual(['started', 'output', 'completed'])
  expect(await ended).toBe('completed')
  // Started anew in its pod it finds the same, does nothing twice, and ends.
  expect(await startWorker({ lingerMilliseconds: 60_000 }).ended).toBe('completed')
})

test('a run that fails by what it was to do is told so, and the worker ends as failed', async () => {
  const { ended } = startWorker()
  await give('run', { do: 'fail', kind: 'upstream_failed', detail: 'It was refused.', retryAfterSeconds: 7 })
  await assign('run')
  expect((await reportsOf('run')).at(-1)).toEqual({
    $case: 'failed',
    value: { reason: 'Failed', kind: 'upstream_failed', detail: 'It was refused.', retryAfterSeconds: 7 },
  })
  expect((await receivedUntil('run', 'failed')).at(-1)?.event).toMatchObject({ value: { detail: 'It was refused.' } })
  expect(await ended).toBe('failed')
})

test('a fault of ours is told to nobody, since another worker may do the run over', async () => {
  await give('run', { do: 'fail', kind: 'internal', detail: 'A fault.' })
  await assign('run')
  const { ended } = startWorker()
  expect(await ended).toBe('broken')
  const second = startWorker({ worker: 'pod-2', work: async () => Buffer.from('well') })
  const reports = await reportsOf('run')
  expect(kinds(reports)).toEqual(['started', 'started', 'completed'])
  expect(await second.ended).toBe('completed')
})

test('a run whose work fails while a server is away is started again in the same worker', async () => {
  let attempts = 0
  const work: Work = async (assignment) => {
    assignment.output(Buffer.from('found'))
    attempts += 1
    if (attempts < 3) throw serviceError('unavailable', 'The message server is away.')
    return Buffer.from('well')
  }
  await give('run', { do: 'work', steps: 0 })
  await assign('run')
  const { ended } = startWorker({ work })
  expect(kinds(await reportsOf('run'))).toEqual([
    ...['started', 'output', 'started', 'output'],
    ...['started', 'output', 'completed'],
  ])
  expect(await ended).toBe('completed')
})

test('a run that fails as unavailable for a reason of its own is not started again', async () => {
  const work = vi.fn(async () => {
    throw Object.assign(serviceError('unavailable', 'The site is left alone.'), { reason: 'BreakerOpen' })
  })
  await give('run', { do: 'work', steps: 0 })
  await assign('run')
  const { ended } = startWorker({ work })
  expect((await reportsOf('run')).at(-1)).toMatchObject({ value: { reason: 'BreakerOpen' } })
  expect([await ended, work.mock.calls.length]).toEqual(['failed', 1])
})

test('a worker that is stopped with a run in hand says nothing of its end', async () => {
  const { ended } = startWorker()
  await give('run', { do: 'wait' })
  await assign('run')
  await take(bus.subscribe(runTopic.search('run'), { after: 'start', signal: stop.signal }), 1)
  stop.abort()
  expect(await ended).toBe('stopped')
  expect(kinds(await reportsSoFar(bus, 'run'))).toEqual(['started'])
})

test('an idle worker that is stopped ends idle', async () => {
  const { ready, ended } = startWorker()
  await ready
  stop.abort()
  expect(await ended).toBe('idle')
})

test('a run that has ended before is not done again, and its notice is given again', async () => {
  await give('run', { do: 'work', steps: 0 })
  await assign('run')
  await startWorker().ended
  await receivedUntil('run', 'worked')
  const work = vi.fn(performTask)
  expect(await startWorker({ work }).ended).toBe('completed')
  expect(work).not.toHaveBeenCalled()
  expect(noticeKinds(await receivedUntil('run', 'worked'))).toEqual(['worked'])
})

test('leaves a run that the operator ends', async () => {
  const { ended } = startWorker()
  await give('run', { do: 'wait' })
  await assign('run')
  await take(bus.subscribe(runTopic.search('run'), { after: 'start', signal: stop.signal }), 1)
  const failed = { reason: 'Cancelled', detail: 'It was cancelled.', kind: 'conflict' }
  await bus.publish(runTopic.search('run'), { runId: 'run', report: { $case: 'failed', value: failed } })
  expect(await ended).toBe('failed')
})

test('leaves a run that another worker has begun since', async () => {
  const { ended } = startWorker()
  await give('run', { do: 'wait' })
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
      if (outputs === 1) throw serviceError('unavailable', 'Nobody acknowledged it.')
      return sequence
    },
  }
  const { ended } = startWorker({ through })
  await give('run', { do: 'work', steps: 2 })
  await assign('run')
  const reports = await reportsOf('run')
  expect(outputs).toBe(3)
  expect(kinds(reports)).toEqual(['started', 'output', 'output', 'completed'])
  expect(await ended).toBe('completed')
})

test('a find that no bus would carry fails its run, with what is wrong', async () => {
  const through: Bus = {
    ...bus,
    publish: async (topic, event) => {
      if ((event as { report?: Report }).report?.$case === 'output')
        throw serviceError('too_large', 'It has too many bytes.')
      return bus.publish(topic, event)
    },
  }
  const { ended } = startWorker({ through })
  await give('run', { do: 'work', steps: 1 })
  await assign('run')
  expect((await reportsOf('run')).at(-1)).toMatchObject({ $case: 'failed', value: { kind: 'too_large' } })
  expect(await ended).toBe('failed')
})
