import type { RunReport } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Bus } from '../bus/mod.ts'
import { type ErrorKind, errorKinds, type ServiceError, serviceError } from '../errors/mod.ts'
import { createRepeatFilter } from './repeats.ts'
import { type RunKind, runTopic } from './topics.ts'

export type Report = NonNullable<RunReport['report']>

/**
 * The reports of a run, from its beginning, until it has completed or failed. The cursor is set at the call: call this before
 * requesting the run, and no report is missed.
 */
export const watchRun = (
  bus: Bus,
  { kind, runId }: { kind: RunKind; runId: string },
  signal: AbortSignal,
): AsyncIterable<Report> => {
  const deliveries = bus.subscribe(runTopic[kind](runId), { after: 'start', signal })
  return {
    async *[Symbol.asyncIterator]() {
      const isNew = createRepeatFilter()
      for await (const delivery of deliveries) {
        if (delivery.kind === 'gap' || !isNew(delivery.event)) continue
        const { report } = delivery.event
        if (!report) continue
        yield report
        if (report.$case === 'completed' || report.$case === 'failed') return
      }
    },
  }
}

/** Converts the failure of a run into a ServiceError for the caller. */
export const errorOfRun = ({
  kind,
  detail,
  retryAfterSeconds,
}: Extract<Report, { $case: 'failed' }>['value']): ServiceError => {
  const known = Object.hasOwn(errorKinds, kind) ? (kind as ErrorKind) : 'internal'
  return serviceError(known, detail, typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {})
}
