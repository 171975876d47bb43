import type { RunRequest, WorkloadsServiceDefinition } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Bus } from '../bus/mod.ts'
import { isServiceError } from '../errors/mod.ts'
import type { RpcClient } from '../rpc/mod.ts'
import { serverStopping } from './pool.ts'
import { readAhead } from './read-ahead.ts'
import { createRepeatFilter } from './repeats.ts'
import { runKindOf, runTopic } from './topics.ts'
import type { Report } from './watch.ts'

/** A run as it is asked for and followed. Whether it is known already, the following finds out. */
export type RunToStream = Omit<RunRequest, 'isKnown' | 'search' | 'generation'> &
  Partial<Pick<RunRequest, 'search' | 'generation'>>

/** What a run is asked for and followed with. */
export type RunClients = {
  bus: Bus
  workloads: Pick<RpcClient<typeof WorkloadsServiceDefinition>, 'run'>
}

export type StreamRunOptions = {
  /** Ends the following, not the run: `workloads.cancel` does that. */
  signal: AbortSignal
  /**
   * Another may have asked for the run before: its reports so far are read first, and it is asked for only when they
   * have stopped. Without it the run is asked for at once, and a refusal is thrown by the call itself.
   */
  resumes?: boolean
  /** A first request that is refused as `unavailable` is made again like later ones, rather than thrown by the call. */
  retriesUnavailable?: boolean
  /** Nothing heard for so long, and the run is asked for again; doubled up to six times that while nothing comes. 5 s unless told. */
  idleMilliseconds?: number
  /** The workloads service may stay away, or refuse, for so long before that fails the following; 60 s unless told. */
  retryBudgetMilliseconds?: number
}

/** How much of the silence is waited for where it is likely that the run must be asked for. */
const shortShare = 0.2
/** How many times the silence it is doubled up to. */
const longestSilence = 6

const silent = Symbol('silent')

/** What ends a following. A run that ended because its server did has not had its chance: it is asked for again. */
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
 * Asks for a run and follows it to its end, also when whoever runs it has been killed and has forgotten it: after some
 * seconds without a word the run is asked for again under the same id, which starts it only where it is not known.
 *
 * Gives the reports in order from the beginning; the last is `completed` or `failed`. A run that had to be started again
 * says `started` again, and what it finds from there on may repeat what was found before: a reader either starts over at
 * `started`, or takes repeats for what they are.
 *
 * Throws what the first request was refused with (unless it resumes or is patient), and from the reports what a later request failed
 * with, `unavailable` only after the patience has ended. With the signal the reports end early, without a last one.
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

  const ask = async (): Promise<void> => {
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
      await (retriesUnavailable ? ask() : workloads.run(run, { signal }))
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
            await ask()
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
