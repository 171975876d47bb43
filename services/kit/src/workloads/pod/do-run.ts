import type { WorkerBus } from '../../bus/mod.ts'
import { isServiceError, toServiceError } from '../../errors/mod.ts'
import type { Log } from '../../telemetry/mod.ts'
import { failureReport, reasonIn } from '../failure-report.ts'
import type { FailureReport } from '../messages.ts'
import { retrying } from '../retrying.ts'
import { inputsOf, type RunKind } from '../topics.ts'
import type { Work } from '../worker.ts'
import { createReporter, type Reporter } from './reporter.ts'
import { type Verdict, watchOwnRun } from './watch-own-run.ts'

export type CurrentRun = {
  runId: string
  /** Whether the worker stood ready when it was given the run. */
  warm: boolean
  /** Whether a fault of ours may be met by doing the run over in another worker, so that it is not told as the run's end. */
  mayBeDoneOver: boolean
  /** Stops the run; what it has handed over still goes out. */
  signal: AbortSignal
}

export type RunDependencies = {
  bus: WorkerBus
  work: Work
  /** The kind of the runs that it does. */
  kind: RunKind
  /** What the worker is called: the name of its pod. */
  worker: string
  reportWithinMilliseconds: number
  /** How long what was handed over may take to go out after the run was stopped, in milliseconds. */
  flushWithinMilliseconds: number
  log: Log
}

/** How a run ended for its worker. `broken`: by a fault of ours, told to nobody. `stopped`: it was taken from this worker. */
export type RunEnd = 'completed' | 'failed' | 'broken' | 'stopped'

/** Whether it is the run that failed, and not what its worker stands on: then doing it over would change nothing. */
const isTheRuns = (error: unknown): boolean =>
  reasonIn(error) !== undefined || (isServiceError(error) && error.kind !== 'internal' && error.kind !== 'unavailable')

/** Whether the same work may succeed here in a moment: a server that it depends on is away. */
const isRetryable = (error: unknown): boolean => isServiceError(error, 'unavailable') && reasonIn(error) === undefined

const readInput = async ({ bus, kind }: RunDependencies, runId: string, signal: AbortSignal): Promise<Uint8Array> => {
  for await (const delivery of bus.subscribe(inputsOf[kind](runId), { after: 'start', signal }))
    if (delivery.kind === 'event') return delivery.event.input
  throw signal.reason
}

const conclude = async (reporter: Reporter, end: { result: Uint8Array } | { failure: FailureReport }) => {
  if ('result' in end) {
    await reporter.report({ $case: 'completed', value: end })
    await reporter.event({ $case: 'worked', value: {} })
  } else {
    await reporter.report({ $case: 'failed', value: end.failure })
    await reporter.event({ $case: 'failed', value: end.failure })
  }
}

/** Says again what became of a run that was ended before, for a notice that its worker may not have come to. */
const repeatNotice = async (reporter: Reporter, { report }: Extract<Verdict, { kind: 'ended' }>): Promise<RunEnd> => {
  await reporter.event(report.$case === 'failed' ? report : { $case: 'worked', value: {} })
  return report.$case
}

/**
 * Does one run: waits for its input, works, and tells what happens, reports before notices. A run that has ended already is
 * not done again; one that somebody else ends, or begins, is left. While a server that the work depends on is away
 * (`unavailable`), the work is started again in this worker: another one would fare no better.
 */
export const doRun = async (dependencies: RunDependencies, run: CurrentRun): Promise<RunEnd> => {
  const { bus, work, kind, worker, log } = dependencies
  const { runId, warm, signal } = run
  const left = new AbortController()
  const telling = new AbortController()
  const stop = new AbortController()
  const inHand = AbortSignal.any([signal, stop.signal])
  const reporter = createReporter({
    bus,
    kind,
    runId,
    withinMilliseconds: dependencies.reportWithinMilliseconds,
    signal: telling.signal,
    onLost: (error) => stop.abort(error),
  })
  /** After the run was stopped, what it has handed over has a little time left. */
  const giveUpLater = () => setTimeout(() => telling.abort(signal.reason), dependencies.flushWithinMilliseconds).unref()
  signal.addEventListener('abort', giveUpLater, { once: true })
  let verdict: Verdict | undefined

  try {
    const own = watchOwnRun(bus, { kind, runId, worker, signal: left.signal })
    const input = await readInput(dependencies, runId, inHand)
    const started = { $case: 'started', value: { worker, warm } } as const
    const before = await own.upTo(await reporter.report(started))
    if (before?.kind === 'ended') return await repeatNotice(reporter, before)
    own.onVerdict((received) => {
      verdict = received
      stop.abort(new Error('The run has been taken from this worker.'))
    })
    const noticed = reporter.event(started)
    noticed.catch(() => undefined)
    const output = (message: Uint8Array) =>
      void reporter.report({ $case: 'output', value: message }).catch(() => undefined)
    const progress = (fraction: number, detail = '') => reporter.progress(fraction, detail)
    inHand.throwIfAborted()
    const attempt = async (isAgain: boolean) => {
      // Followers drop what the last attempt found.
      if (isAgain) await reporter.report(started)
      const result = await work({ runId, input, signal: inHand, progress, output })
      await reporter.flushed()
      inHand.throwIfAborted()
      return result
    }
    const result = await retrying(attempt, {
      withinMilliseconds: dependencies.reportWithinMilliseconds,
      signal: inHand,
      isRetryable,
      onRetry: (error) => log.warn({ err: error, runId }, 'a server is away: the run is started again'),
    })
    await conclude(reporter, { result })
    return 'completed'
  } catch (thrown) {
    await reporter.flushed()
    if (verdict) return verdict.kind === 'ended' ? verdict.report.$case : 'stopped'
    if (signal.aborted) return 'stopped'
    const error = stop.signal.aborted ? stop.signal.reason : thrown
    log.error({ err: error, runId }, 'a run failed')
    if (run.mayBeDoneOver && !isTheRuns(error)) return 'broken'
    const failed = toServiceError(error)
    await conclude(reporter, { failure: failureReport(error, failed) })
    return 'failed'
  } finally {
    signal.removeEventListener('abort', giveUpLater)
    left.abort()
  }
}
