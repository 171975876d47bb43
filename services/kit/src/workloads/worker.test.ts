import { WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ProbeTask } from '@trellis/test/probe/task'
import { probeWorker } from '@trellis/test/probe/worker-kind'
import { expect, test } from 'vitest'
import { createMemoryBus } from '../bus/mod.ts'
import { connectInProcess } from '../rpc/mod.ts'
import { type Log, silentLog } from '../telemetry/mod.ts'
import { createLocalWorkloads, watchRun } from './mod.ts'

/** A log that records its errors and warnings. */
const recordingLog = () => {
  const lines: unknown[][] = []
  const record = (...line: unknown[]) => void lines.push(line)
  const log: Log = Object.assign(Object.create(silentLog), { error: record, warn: record, child: () => log })
  return { log, lines }
}

const openRuns = () => {
  const { log, lines } = recordingLog()
  const bus = createMemoryBus()
  const runtime = createLocalWorkloads({ bus, log, kinds: { WORKLOAD_SEARCH: { ...probeWorker, warm: 0 } } })
  const client = connectInProcess(WorkloadsServiceDefinition, runtime.handlers)
  const start = async (runId: string, task: ProbeTask) => {
    const reports = watchRun(bus, { kind: 'search', runId }, new AbortController().signal)
    const input = Buffer.from(JSON.stringify(task))
    await client.run({ runId, workload: 'WORKLOAD_SEARCH', input, activeDeadlineSeconds: 60, user: 'local' })
    return reports
  }
  const stack = new AsyncDisposableStack()
  stack.use(bus)
  stack.use(runtime)
  return { client, lines, start, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test.each(['wait', 'fail-when-cancelled'] as const)('a cancelled run is not logged as an error (%s)', async (task) => {
  await using runs = openRuns()
  const reports = await runs.start('cancelled', { do: task })
  for await (const report of reports) {
    if (report.$case === 'started') await runs.client.cancel({ runId: 'cancelled' })
    if (report.$case === 'failed') expect(report.value.reason).toBe('Cancelled')
  }
  expect(runs.lines).toEqual([])
})

test('a run that fails because of a bug is logged as an error with its stack', async () => {
  await using runs = openRuns()
  for await (const _ of await runs.start('faulty', { do: 'throw', message: 'A fault of the test.' }));
  expect(runs.lines).toMatchObject([
    [{ runId: 'faulty', trace: expect.stringMatching(/A fault of the test\.\n\s+at /) }, expect.any(String)],
  ])
})
