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
  /** Whether the worker was already ready when the run was assigned. */
  warm: boolean
  /** Whether another worker may repeat the run after an internal error, so that the error is not reported as the run's end. */
  mayBeRepeated: boolean
  /** Stops the run; reports already handed over are still published. */
  signal: AbortSignal
}

export type RunDependencies = {
  bus: WorkerBus
  work: Work
  /** The kind of runs that this worker does. */
  kind: RunKind
  /** The worker's name: that of its pod. */
  worker: string
  reportWithinMilliseconds: number
  /** How long pending reports may take to be published after the run was stopped, in milliseconds. */
  flushWithinMilliseconds: number
  log: Log
}

/** How a run ended for its worker. `broken`: by an internal error that was not reported. `stopped`: stopped here, or taken over by another worker. */
export type RunEnd = 'completed' | 'failed' | 'broken' | 'stopped'

/** Whether the run itself failed, and not the worker or its dependencies: a repetition would fail as well. */
const isRunFault = (error: unknown): boolean =>
  reasonIn(error) !== undefined || (isServiceError(error) && error.kind !== 'internal' && error.kind !== 'unavailable')

/** Whether a retry in this worker may succeed soon: a server that the work depends on is down. */
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

/** Repeats the event of a run that ended before, because its worker may have stopped before sending it. */
const repeatEndEvent = async (reporter: Reporter, { report }: Extract<Verdict, { kind: 'ended' }>): Promise<RunEnd> => {
  await reporter.event(report.$case === 'failed' ? report : { $case: 'worked', value: {} })
  return report.$case
}

/**
 * Does one run: waits for its input, works, and publishes what happens, reports before events. A run that has ended already is
 * not repeated; a run that the operator ends or another worker starts is abandoned. While a server that the work depends on is down
 * (`unavailable`), the work is restarted in this worker, because another one would fail as well.
 */
export const doRun = async (dependencies: RunDependencies, run: CurrentRun): Promise<RunEnd> => {
  const { bus, work, kind, worker, log } = dependencies
  const { runId, warm, signal } = run
  const left = new AbortController()
  const publishing = new AbortController()
  const stop = new AbortController()
  const inHand = AbortSignal.any([signal, stop.signal])
  const reporter = createReporter({
    bus,
    kind,
    runId,
    withinMilliseconds: dependencies.reportWithinMilliseconds,
    signal: publishing.signal,
    onLost: (error) => stop.abort(error),
  })
  /** Abandons pending reports some time after the run was stopped. */
  const abandonLater = () =>
    setTimeout(() => publishing.abort(signal.reason), dependencies.flushWithinMilliseconds).unref()
  signal.addEventListener('abort', abandonLater, { once: true })
  let verdict: Verdict | undefined

  try {
    const own = watchOwnRun(bus, { kind, runId, worker, signal: left.signal })
    const input = await readInput(dependencies, runId, inHand)
    const started = { $case: 'started', value: { worker, warm } } as const
    const before = await own.upTo(await reporter.report(started))
    if (before?.kind === 'ended') return await repeatEndEvent(reporter, before)
    own.onVerdict((received) => {
      verdict = received
      stop.abort(new Error('The run has been taken from this worker.'))
    })
    const startedEvent = reporter.event(started)
    startedEvent.catch(() => undefined)
    const output = (message: Uint8Array) =>
      void reporter.report({ $case: 'output', value: message }).catch(() => undefined)
    const progress = (fraction: number, detail = '') => reporter.progress(fraction, detail)
    inHand.throwIfAborted()
    const attempt = async (isAgain: boolean) => {
      // Readers discard the output of the last attempt.
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
      onRetry: (error) => log.warn({ err: error, runId }, 'dependency unavailable, run restarted'),
    })
    await conclude(reporter, { result })
    return 'completed'
  } catch (thrown) {
    await reporter.flushed()
    if (verdict) return verdict.kind === 'ended' ? verdict.report.$case : 'stopped'
    if (signal.aborted) return 'stopped'
    const error = stop.signal.aborted ? stop.signal.reason : thrown
    log.error({ err: error, runId }, 'a run failed')
    if (run.mayBeRepeated && !isRunFault(error)) return 'broken'
    const failed = toServiceError(error, 'run')
    await conclude(reporter, { failure: failureReport(error, failed) })
    return 'failed'
  } finally {
    signal.removeEventListener('abort', abandonLater)
    left.abort()
  }
}
