import {
  conditionOf,
  done,
  isBeingDeleted,
  keyOf,
  type Reconcile,
  type Result,
  remove,
  requeueAfter,
} from '../runtime/mod.ts'
import { remainingGraceMilliseconds, staleStatus } from './desired-status.ts'
import type { Ending } from './ending.ts'
import { logEnd } from './log-end.ts'
import { unlessOvertaken } from './overtaken.ts'
import type { RunParts } from './parts.ts'
import { isPaused } from './paused.ts'
import { releaseWorker } from './release-worker.ts'
import { reportFailure } from './report-failure.ts'
import { failureOf } from './reporter.ts'
import type { FoundWorkers, Run } from './run.ts'
import { runIdOf } from './run-id.ts'
import type { RunObject } from './run-object.ts'
import { type Desired, expiresIn, isFinished, runStatus } from './run-status.ts'
import type { RunReporting, RunSteps } from './steps.ts'
import { startingQuietly } from './waiting.ts'

/** How the runs of a kind get, change and lose their workers. */
export type RunWorkers<Object extends RunObject, Found extends FoundWorkers> = {
  /** Classifies the workers of a run, as far as the caches show them. */
  survey: (object: Object, runId: string) => Found
  /** Decides about an unfinished run and acts; returns the ending if that is the decision. */
  advance: (run: Run<Object, Found>) => Promise<Result | Ending>
  /** Stops the worker of a run that ends. */
  stop: (run: Pick<Run<Object, Found>, 'found' | 'signal'>) => Promise<void>
  /** Whether workers of a run that ended have not ended yet. */
  haveWorkers: (object: Object, runId: string) => boolean
  /** Stops all workers of an object. */
  stopAll: (object: Object, runId: string, signal: AbortSignal) => Promise<void>
  /** Called when a run neither has nor waits for a slot any longer, save one that its worker still takes. */
  freeSlot?: (object: Object) => void
}

export type ReconcileRunOptions<Object extends RunObject, Found extends FoundWorkers> = {
  parts: RunParts<Object>
  steps: RunSteps<Object, Found>
  workers: RunWorkers<Object, Found>
  reporting: Pick<RunReporting<Object, Found>, 'workload' | 'resource' | 'outcomeOf'>
  /** Status fields of a run that a suspension clears, besides its times and its pod. */
  cleared?: Desired<Object['status']>
}

/** Reconciles an object of a kind of run: starts its run, follows it, finishes it, and removes it after its time to live. */
export const reconcileRun = <Object extends RunObject, Found extends FoundWorkers>({
  parts,
  steps,
  workers,
  reporting: { workload, resource, outcomeOf },
  cleared = {},
}: ReconcileRunOptions<Object, Found>): Reconcile => {
  const { client, store, memories, events, reporter, clock, log, runMetrics } = parts

  /** Releases the in-memory state of a run that ended. */
  const release = (object: Object, runId: string): void => {
    events.drop(runId)
    memories.drop(object.metadata.uid)
    workers.freeSlot?.(object)
  }

  /** Retains a finished object with its workers until its time to live is over, then removes it. */
  const expire = async (object: Object, signal: AbortSignal): Promise<Result> => {
    const runId = runIdOf(object)
    release(object, runId)
    const now = clock.now()
    const left = expiresIn(object, now) ?? 0
    if (left === 0) {
      // Its pods, and what else it owns, are garbage-collected after it.
      await remove(client, resource, object, { signal, propagationPolicy: 'Background' })
      return done
    }
    const stale = staleStatus(object)
    if (stale) await steps.writeStatus(object, runStatus(object, stale, now) as Desired<Object['status']>, signal)
    if (!workers.haveWorkers(object, runId)) return requeueAfter(left)
    const untilStopped = remainingGraceMilliseconds(object.status, now)
    if (untilStopped > 0) return requeueAfter(Math.min(left, untilStopped))
    await workers.stopAll(object, runId, signal)
    return requeueAfter(left)
  }

  /**
   * Ends a run. The report goes to the topic before the status is written: an unreported end is retried, but a run with
   * a final status is over.
   */
  const end = async (run: Run<Object, Found>, ending: Ending): Promise<Result> => {
    const { desiredStatus, concluded, report, stops } = ending
    const { object, runId, found, signal } = run
    if (report && !(await reportFailure(parts, { runId, failure: report, signal }))) return requeueAfter(0)
    if (stops) await workers.stop(run)
    await steps.settle(run, desiredStatus, { more: outcomeOf(concluded) })
    runMetrics.ended(workload, desiredStatus)
    logEnd(log, { workload, object, runId, desiredStatus, now: clock.now() })
    if (desiredStatus.phase === 'Failed') steps.warn(object, desiredStatus.reason, desiredStatus.message)
    if (!stops && found.current) await releaseWorker(parts, found.current)
    const ended = store.get(keyOf(object.metadata))
    if (ended && isFinished(ended)) return expire(ended, signal)
    release(object, runId)
    return done
  }

  /**
   * Ends the run of a suspended object; resuming starts another. The status is written before the failure is reported:
   * if the object were resumed in between, the run reported as ended would go on. Callers that miss the report learn it
   * when they request the run again.
   */
  const suspend = async (object: Object, signal: AbortSignal): Promise<Result> => {
    const runId = runIdOf(object)
    const isNew = conditionOf(object.status.conditions, 'Ready')?.reason !== 'Suspended'
    const message = `The ${workload} is suspended; a new run begins when it is resumed.`
    const status = runStatus(object, { phase: 'Pending', reason: 'Suspended', message }, clock.now())
    const gone = { sessionId: null, startTime: null, podName: null, ...cleared }
    await steps.writeStatus(object, { ...status, ...gone } as Desired<Object['status']>, signal)
    await workers.stopAll(object, runId, signal)
    release(object, runId)
    if (!isNew) return done
    const ended = `The ${workload} was suspended.`
    const desiredStatus = { phase: 'Failed', reason: 'Suspended', message: ended } as const
    if (object.status.sessionId !== undefined) logEnd(log, { workload, object, runId, desiredStatus, now: clock.now() })
    await reporter.failed(runId, failureOf('Suspended', ended))
    return done
  }

  const advance = async (object: Object, signal: AbortSignal): Promise<Result> => {
    const runId = runIdOf(object)
    const found = workers.survey(object, runId)
    const memory = memories.of(object, runId)
    // However long ago the last reconcile was, none of the time since counts.
    if (memory.isHeld) {
      memory.acceptedAt = clock.now()
      memory.quietUntil = memory.acceptedAt + startingQuietly
    }
    memory.isHeld = false
    const run = { object, runId, memory, found, facts: events.factsOf(runId), signal }
    const next = await workers.advance(run)
    return next.kind === 'end' ? end(run, next) : next
  }

  return async (key, { signal }) => {
    const object = store.get(key)
    // The deletion handler in `attendRuns` reports its end.
    if (!object || isBeingDeleted(object)) return done
    if (isPaused(object)) {
      workers.freeSlot?.(object)
      return done
    }
    const next = isFinished(object) ? expire : object.spec.suspend ? suspend : advance
    return unlessOvertaken(() => next(object, signal))
  }
}
