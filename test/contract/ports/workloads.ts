import type { Bus } from '@trellis/kit/bus'
import type { RpcClient } from '@trellis/kit/rpc'
import { type Report, watchRun } from '@trellis/kit/workloads'
import type { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { describe, expect, test } from 'vitest'
import type { ProbeTask } from '../../probe/task.ts'
import { collect } from '../../support/collect.ts'

export type Testbed = AsyncDisposable & { bus: Bus; workloads: RpcClient<typeof WorkloadsServiceDefinition> }

let runs = 0

const never = new AbortController().signal

const start = async (
  { bus, workloads }: Testbed,
  task: ProbeTask,
  { deadline = 0, runId = `run-${process.pid}-${++runs}` } = {},
) => {
  const reports = watchRun(bus, { kind: 'search', runId }, never)
  const input = Buffer.from(JSON.stringify(task))
  const { queued } = await workloads.run({
    runId,
    workload: 'WORKLOAD_SEARCH',
    input,
    activeDeadlineSeconds: deadline,
    user: 'local',
  })
  return { runId, queued, reports }
}

const cases = (reports: Report[]) => reports.map(({ $case }) => $case)
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

const failedOf = (reports: Report[]) => {
  const last = reports.at(-1)
  return last?.$case === 'failed' ? last.value : undefined
}

const until = async (reports: AsyncIterable<Report>, $case: Report['$case']) => {
  for await (const report of reports) if (report.$case === $case) return
}

/** The contract of every workloads runtime, with the probe's worker: two runs at once, further ones are queued. */
export const workloadsContract = (name: string, open: () => Promise<Testbed>): void => {
  describe(`the workloads ${name}`, () => {
    test('a run reports its start, its progress, its output and its result, in order', async () => {
      await using testbed = await open()
      const { reports } = await start(testbed, { do: 'work', steps: 3 })
      const seen = await collect(reports)
      expect(cases(seen)).toEqual([
        'started',
        'progress',
        'output',
        'progress',
        'output',
        'progress',
        'output',
        'completed',
      ])
      const last = seen.at(-1)
      expect(last?.$case === 'completed' && text(last.value.result)).toBe('done 3')
    })

    test('a second run gets a warm worker', async () => {
      await using testbed = await open()
      await collect((await start(testbed, { do: 'work', steps: 1 })).reports)
      const [started] = await collect((await start(testbed, { do: 'work', steps: 1 })).reports)
      expect(started?.$case === 'started' && started.value.warm).toBe(true)
    })

    test('an error thrown by the worker fails the run with its kind and message', async () => {
      await using testbed = await open()
      const { reports } = await start(testbed, {
        do: 'fail',
        kind: 'upstream_failed',
        detail: 'The marketplace refused.',
        retryAfterSeconds: 30,
      })
      expect(failedOf(await collect(reports))).toMatchObject({
        kind: 'upstream_failed',
        detail: 'The marketplace refused.',
        retryAfterSeconds: 30,
      })
    })

    test.each([
      ['exit', { do: 'exit', code: 3 }, 'WorkerLost'],
      ['being killed', { do: 'kill' }, 'WorkerLost'],
      ['running out of memory', { do: 'exhaust' }, 'OOMKilled'],
    ] as const)(
      'a worker lost by %s fails its run with a reason, and the next run succeeds',
      async (_name, task, reason) => {
        await using testbed = await open()
        const { reports } = await start(testbed, task)
        expect(failedOf(await collect(reports))?.reason).toBe(reason)
        expect(cases(await collect((await start(testbed, { do: 'work', steps: 0 })).reports))).toEqual([
          'started',
          'completed',
        ])
      },
    )

    test('a run past its deadline is stopped', async () => {
      await using testbed = await open()
      const { reports } = await start(testbed, { do: 'wait' }, { deadline: 1 })
      expect(failedOf(await collect(reports))).toMatchObject({ reason: 'DeadlineExceeded', kind: 'upstream_timeout' })
    })

    test('a run can be cancelled while it is running or queued', async () => {
      await using testbed = await open()
      const running = [await start(testbed, { do: 'wait' }), await start(testbed, { do: 'wait' })]
      const waiting = await start(testbed, { do: 'wait' })
      expect(waiting.queued).toBe(true)
      for (const { runId, reports } of [waiting, ...running]) {
        if (runId !== waiting.runId) await until(watchRun(testbed.bus, { kind: 'search', runId }, never), 'started')
        await testbed.workloads.cancel({ runId })
        expect(failedOf(await collect(reports))).toMatchObject({ reason: 'Cancelled' })
      }
      await testbed.workloads.cancel({ runId: 'unknown' })
    })

    test('runs beyond the capacity are queued and listed', async () => {
      await using testbed = await open()
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => start(testbed, { do: 'work', steps: 1 })))
      const { runs: listed } = await testbed.workloads.list({ workload: 'WORKLOAD_SEARCH' })
      expect(listed).toHaveLength(5)
      expect(await testbed.workloads.capacity({ workload: 'WORKLOAD_SEARCH' })).toMatchObject({ total: 2 })
      for (const { reports } of all) expect(cases(await collect(reports)).at(-1)).toBe('completed')
      expect((await testbed.workloads.list({ workload: 'WORKLOAD_SEARCH' })).runs).toEqual([])
    })

    test('a run requested twice is started once', async () => {
      await using testbed = await open()
      const { runId, reports } = await start(testbed, { do: 'work', steps: 1 })
      await start(testbed, { do: 'work', steps: 1 }, { runId })
      expect(cases(await collect(reports)).filter(($case) => $case === 'started')).toHaveLength(1)
    })

    test('an invalid id and an unsupported workload are refused', async () => {
      await using testbed = await open()
      const request = {
        workload: 'WORKLOAD_SEARCH',
        input: new Uint8Array(),
        activeDeadlineSeconds: 0,
        user: 'x',
      } as const
      await expect(testbed.workloads.run({ ...request, runId: 'Not/an id' })).rejects.toMatchObject({ kind: 'invalid' })
      const other = { ...request, runId: 'other', workload: 'WORKLOAD_GENERATION' } as const
      await expect(testbed.workloads.run(other)).rejects.toMatchObject({ kind: 'unavailable' })
    })

    test('the worker sees only its configured environment variables', async () => {
      await using testbed = await open()
      const seen = await collect((await start(testbed, { do: 'environment' })).reports)
      const last = seen.at(-1)
      const environment = last?.$case === 'completed' ? JSON.parse(text(last.value.result)) : {}
      expect(environment).toMatchObject({ PROBE: 'configured' })
      expect(Object.keys(environment)).not.toContain('HOME')
    })
  })
}
