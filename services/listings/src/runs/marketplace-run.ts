import { isServiceError, ServiceError } from '@trellis/kit/errors'
import { errorOfRun, streamRun } from '@trellis/kit/workloads'
import type { SearchSubject } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { recordUsage } from '../api-use/store.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ApiUsage } from '../marketplace/adapter.ts'
import type { FieldCount } from '../marketplace/page-fields.ts'
import { recordPageFields } from '../page-drift/store.ts'
import { createJoiner } from '../worker/found-parts.ts'
import { decodeOutput, encodeMessage, type WorkerInput, type WorkerOutput } from '../worker/messages.ts'

/** The error that a run failed or was refused with. Another request under the same id gets the same error. */
export class RunError extends ServiceError {
  override name = 'RunFailure'
  /** The reason that the run itself reported; undefined if it was refused before it ran. */
  readonly reason: string | undefined

  constructor({ kind, detail, retryAfterSeconds, cause }: ServiceError, reason?: string) {
    super(kind, detail, { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
    this.reason = reason
  }
}

const ofRun = (error: unknown): unknown =>
  isServiceError(error) && !(error instanceof RunError) ? new RunError(error) : error

/**
 * Time limit in milliseconds after which the run of a call that waits for its answer is refused, if the workloads service is
 * unavailable. Other runs wait until their signal aborts.
 */
const answerPatience = 8_000

/** How replicas drive a run, in addition to `RunOptions`. */
export type Driven = {
  /** Whether another replica, or an earlier attempt, may have requested the run before. */
  readonly resumes: boolean
  /** Whether the search itself has been stopped. Otherwise the run continues, and another attempt follows it. */
  readonly isStopped: () => boolean
  /** Whether a call waits for the answer. */
  readonly isAwaited: boolean
}

export type RunOptions = {
  readonly runId: string
  readonly input: WorkerInput
  readonly user: string
  readonly deadlineSeconds: number
  /** Aborting it cancels the run. */
  readonly signal: AbortSignal
  /** Set for a run that replicas drive. Without it the run is cancelled when its findings are no longer read. */
  readonly driven?: Driven
  /** What is displayed for a run that is an object. */
  readonly subject?: SearchSubject
  /** The run whose worker should execute this one, too. */
  readonly parentRunId?: string
}

/** Cancels a run. If that fails, the run ends at its deadline. */
export const cancelRun = async ({ workloads, log }: Dependencies, runId: string): Promise<void> => {
  try {
    await workloads.cancel({ runId })
  } catch (error) {
    log.warn({ err: error, runId }, 'listings: run could not be cancelled')
  }
}

/** Stores the calls of a run. Results do not depend on it, so an unavailable database costs only the count. */
const recordApiUse = async ({ db, config, now, log, metrics }: Dependencies, runId: string, usage: ApiUsage) => {
  metrics.apiUsed(usage)
  try {
    await recordUsage(db, config.platform, runId, usage, now())
  } catch (error) {
    log.warn({ err: error }, 'listings: calls to the API not counted')
  }
}

/**
 * Adds the fields of a run's pages to their rates. A run that is resumed may count twice, which matters little for a rate.
 */
const recordFields = async ({ db, config, now, log, metrics }: Dependencies, fields: readonly FieldCount[]) => {
  try {
    const rates = await recordPageFields(db, config.platform, fields, now())
    metrics.fieldsRead(fields, rates)
    const drifting = rates.filter(({ isDrifting }) => isDrifting).map(({ page, field }) => `${page}.${field}`)
    if (drifting.length > 0) log.warn({ fields: drifting }, 'listings: fields of pages are no longer found')
  } catch (error) {
    log.warn({ err: error }, 'listings: fields of pages not counted')
  }
}

/**
 * Starts or resumes a run, and returns its findings as they arrive. The start is awaited, so that an overloaded installation
 * refuses at once, or within seconds for a driven run; the findings end early when the signal aborts. Both throw RunError. A
 * run that had to be restarted repeats its findings.
 */
export const startRun = async (
  dependencies: Dependencies,
  options: RunOptions,
): Promise<AsyncIterable<WorkerOutput>> => {
  const { bus, workloads } = dependencies
  const { runId, input, user, deadlineSeconds, signal, driven, subject, parentRunId } = options
  const run = {
    runId,
    workload: 'WORKLOAD_SEARCH',
    input: encodeMessage(input),
    activeDeadlineSeconds: deadlineSeconds,
    user,
    search: subject ?? null,
    parentRunId,
  } as const
  const retryBudgetMilliseconds = driven?.isAwaited === false ? Number.POSITIVE_INFINITY : answerPatience
  const how = driven ? { resumes: driven.resumes, retriesUnavailable: true, retryBudgetMilliseconds } : {}
  const reports = await streamRun({ bus, workloads }, run, { signal, ...how }).catch((error: unknown) => {
    throw ofRun(error)
  })
  return {
    async *[Symbol.asyncIterator]() {
      let isOver = false
      const { begin, join } = createJoiner()
      try {
        for await (const report of reports) {
          isOver = report.$case === 'completed' || report.$case === 'failed'
          if (report.$case === 'started') begin()
          const output = report.$case === 'output' ? join(decodeOutput(report.value)) : undefined
          if (output?.kind === 'api') await recordApiUse(dependencies, runId, output)
          else if (output?.kind === 'pages') await recordFields(dependencies, output.fields)
          else if (output) yield output
          if (report.$case === 'failed') throw new RunError(errorOfRun(report.value), report.value.reason)
        }
      } catch (error) {
        throw ofRun(error)
      } finally {
        if (!isOver && (driven?.isStopped() ?? true)) await cancelRun(dependencies, runId)
      }
      signal.throwIfAborted()
    },
  }
}
