import { createMemoryBus } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { runTopic } from '@trellis/kit/workloads'
import type { RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../runtime/mod.ts'
import { createReporters, failureOf } from './reporter.ts'
import { createRunEvents } from './run-events.ts'
import { tellFailure } from './tell-failure.ts'

type Report = NonNullable<RunReport['report']>

const started: Report = { $case: 'started', value: { worker: 'w', warm: true } }
const completed: Report = { $case: 'completed', value: { result: new Uint8Array() } }
const refused: Report = { $case: 'failed', value: failureOf('MarketplaceRefused', 'It would not say.') }
const lost: Report = { $case: 'failed', value: failureOf('WorkerLost', 'It is gone.') }

/** Tells of a failure for a reason when so much was told of the run before. */
const tellAfter = async (reports: readonly Report[], reason: string) => {
  await using bus = createMemoryBus()
  for (const report of reports) await bus.publish(runTopic.search('run'), { runId: 'run', report })
  const events = createRunEvents({ bus, clock: systemClock, log: silentLog })
  const simulation = { reporter: createReporters(bus).search, events }
  const signal = AbortSignal.timeout(60_000)
  const isReported = await tellFailure(simulation, { runId: 'run', failure: failureOf(reason, 'So it is.'), signal })
  return { isReported, facts: events.factsOf('run') }
}

test.each<[string, Report[], string]>([
  ['nothing was told', [], 'NoReport'],
  ['it was told to have started', [started], 'WorkerLost'],
  ['the same was told before, and came to no status', [started, lost], 'WorkerLost'],
  ['it was told to be done, and the failure does not rest on silence', [started, completed], 'DeadlineExceeded'],
])('a failure stands where %s', async (_, reports, reason) => {
  expect(await tellAfter(reports, reason)).toEqual({ isReported: true, facts: { version: 0 } })
})

test.each<[string, Report[], string, object]>([
  ['be done', [started, completed], 'NoReport', { worked: {} }],
  ['be done, before it was taken for lost', [started, completed, lost], 'WorkerLost', { worked: {} }],
  ['fail for its own reason', [started, refused], 'Evicted', { failed: { failure: { reason: 'MarketplaceRefused' } } }],
])('a failure for want of a word does not stand where the run was told to %s', async (_, reports, reason, facts) => {
  expect(await tellAfter(reports, reason)).toMatchObject({ isReported: false, facts })
})
