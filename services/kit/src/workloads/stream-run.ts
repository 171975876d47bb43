import type { RunRequest, WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Bus } from '../bus/mod.ts'
import { isServiceError } from '../errors/mod.ts'
import type { RpcClient } from '../rpc/mod.ts'
import { serverStopping } from './pool.ts'
import { readAhead } from './read-ahead.ts'
import { createRepeatFilter } from './repeats.ts'
import { runKindOf, runTopic } from './topics.ts'
import type { Report } from './watch.ts'

/** A run to request and follow. `streamRun` sets `isKnown` itself. */
export type RunToStream = Omit<RunRequest, 'isKnown' | 'search' | 'generation'> &
  Partial<Pick<RunRequest, 'search' | 'generation'>>

/** Clients for requesting and following a run. */
export type RunClients = {
  bus: Bus
  workloads: Pick<RpcClient<typeof WorkloadsServiceDefinition>, 'run'>
}

export type StreamRunOptions = {
  /** Ends the stream, not the run; `workloads.cancel` ends the run. */
  signal: AbortSignal
  /**
   * Another caller may have requested the run before: its reports so far are read first, and it is requested only when no more
   * arrive. Without this option the run is requested at once, and the call throws a rejection.
   */
  resumes?: boolean
  /** Retries a first request that is rejected as `unavailable`, like later ones, instead of throwing it from the call. */
  retriesUnavailable?: boolean
  /** Without a report for this long, the run is requested again; doubled up to six times that while no report arrives. Default 5 s. */
  idleMilliseconds?: number
  /** How long the workloads service may be `unavailable` before the stream fails. Default 60 s. */
  retryBudgetMilliseconds?: number
}

/** Fraction of `idleMilliseconds` to wait when the run most likely has to be requested again. */
const shortShare = 0.2
/** Upper limit of the wait, as a multiple of `idleMilliseconds`. */
const longestSilence = 6

const silent = Symbol('silent')

/** Whether a report ends the stream. A run that failed because its server stopped is requested again. */
const isLast = (report: Report): boolean =>
  report.$case === 'completed' || (report.$case === 'failed' && report.value.reason !== serverStopping)

const orIdle = async <Value>(value: Promise<Value>, milliseconds: number): Promise<Value | typeof silent> => {
  const { promise, resolve } = Promise.withResolvers<typeof silent>()
  const timer = setTimeout(resolve, milliseconds, silent)
  try {
    return await Promise.race([value, promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Requests a run and streams its reports to the end, even when its runtime was killed and has lost the run: after some
 * seconds without a report the run is requested again under the same id, which is idempotent where the run is known.
 *
 * Yields the reports in order from the beginning; the last is `completed` or `failed`. A run that was started again
 * reports `started` again, and later reports may repeat earlier ones (at least once): a reader either starts over at
 * `started` or deduplicates.
 *
 * Throws the error of the first request (unless `resumes` or `retriesUnavailable`). The iterator throws the error of a later request,
 * `unavailable` only once the retry budget is used up. When the signal aborts, the reports end early, without a last one.
 */
export const streamRun = async (
  { bus, workloads }: RunClients,
  requested: RunToStream,
  options: StreamRunOptions,
): Promise<AsyncIterable<Report>> => {
  const { signal, resumes = false, retriesUnavailable = false } = options
  const { idleMilliseconds = 5_000, retryBudgetMilliseconds = 60_000 } = options
  const run: RunRequest = { search: null, generation: null, ...requested, isKnown: false }
  const left = new AbortController()
  const following = AbortSignal.any([signal, left.signal])
  const topic = runTopic[runKindOf(run.workload)](run.runId)
  const deliveries = bus.subscribe(topic, { after: 'start', signal: following })[Symbol.asyncIterator]()
  let awaySince: number | undefined
  let hasReported = false
  const isNew = createRepeatFilter()

  const request = async (): Promise<void> => {
    try {
      await workloads.run({ ...run, isKnown: hasReported }, { signal: following })
      awaySince = undefined
    } catch (error) {
      if (following.aborted) return
      awaySince ??= performance.now()
      const mayPass = performance.now() - awaySince < retryBudgetMilliseconds
      if (!isServiceError(error, 'unavailable') || !mayPass) throw error
    }
  }

  if (!resumes) {
    try {
      await (retriesUnavailable ? request() : workloads.run(run, { signal }))
    } catch (error) {
      left.abort()
      throw error
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      try {
        let silence = idleMilliseconds * (resumes || awaySince !== undefined ? shortShare : 1)
        for (let next = readAhead(deliveries); ; ) {
          const received = await orIdle(next, silence)
          if (received === silent) {
            await request()
            const longer = Math.min(Math.max(silence, idleMilliseconds / 2) * 2, idleMilliseconds * longestSilence)
            silence = awaySince === undefined ? longer : idleMilliseconds * shortShare
            continue
          }
          if (received.done) return
          next = readAhead(deliveries)
          const reported =
            received.value.kind === 'event' && isNew(received.value.event) ? received.value.event : undefined
          const report = reported?.report
          if (!report) continue
          awaySince = undefined
          hasReported = true
          silence = idleMilliseconds
          if (report.$case === 'failed' && !isLast(report)) {
            silence *= shortShare
            continue
          }
          yield report
          if (isLast(report)) return
        }
      } finally {
        left.abort()
      }
    },
  }
}
