import { createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { runTopic } from '@trellis/kit/workloads'
import type { RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../runtime/mod.ts'
import { reportFailure } from './report-failure.ts'
import { createReporters, failureOf } from './reporter.ts'
import { createRunEvents } from './run-events.ts'

type Report = NonNullable<RunReport['report']>

const started: Report = { $case: 'started', value: { worker: 'w', warm: true } }
const completed: Report = { $case: 'completed', value: { result: new Uint8Array() } }
const refused: Report = { $case: 'failed', value: failureOf('MarketplaceRefused', 'It rejected the request.') }
const lost: Report = { $case: 'failed', value: failureOf('WorkerLost', 'It is gone.') }

/** Reports a failure with this reason after these reports. */
const reportAfter = async (reports: readonly Report[], reason: string) => {
  await using bus = createMemoryBus()
  for (const report of reports) await bus.publish(runTopic.search('run'), { runId: 'run', report })
  const events = createRunEvents({ bus, clock: systemClock, log: silentLog })
  const simulation = { reporter: createReporters(bus).search, events }
  const signal = AbortSignal.timeout(60_000)
  const isReported = await reportFailure(simulation, { runId: 'run', failure: failureOf(reason, 'A message.'), signal })
  return { isReported, facts: events.factsOf('run') }
}

test.each<[string, Report[], string]>([
  ['nothing was reported', [], 'NoReport'],
  ['a start was reported', [started], 'WorkerLost'],
  ['the same failure was reported before without reaching the status', [started, lost], 'WorkerLost'],
  [
    'a completion was reported, but the failure does not rest on a missing report',
    [started, completed],
    'DeadlineExceeded',
  ],
])('a failure is reported if %s', async (_, reports, reason) => {
  expect(await reportAfter(reports, reason)).toEqual({ isReported: true, facts: { version: 0 } })
})

test.each<[string, Report[], string, object]>([
  ['completion', [started, completed], 'NoReport', { worked: {} }],
  ['completion, before it was considered lost', [started, completed, lost], 'WorkerLost', { worked: {} }],
  ['its own failure', [started, refused], 'Evicted', { failed: { failure: { reason: 'MarketplaceRefused' } } }],
])('a failure for a missing report does not override the run reporting %s', async (_, reports, reason, facts) => {
  expect(await reportAfter(reports, reason)).toMatchObject({ isReported: false, facts })
})
