import type { PlanRequest, RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import {
  type ConditionState,
  done,
  isNamespaceTerminating,
  isRefused,
  keyOf,
  mergeConditions,
  type Resource,
  type Result,
  remove,
  requeueAfter,
  secondsTime,
} from '../runtime/mod.ts'
import { type Pod, pods, sentence, type Workload } from '../workers/mod.ts'
import { assignRun, requestRunPlan } from './begin-run.ts'
import { isNewWarning, stabilizeMessage } from './desired-status.ts'
import { reflects } from './observed.ts'
import type { RunParts } from './parts.ts'
import type { FoundWorkers, Run } from './run.ts'
import type { RunObject } from './run-object.ts'
import { type Desired, type DesiredStatus, runStatus } from './run-status.ts'
import { lookedAgain, refusedAgain, startingQuietly } from './waiting.ts'
import { writeRunStatus } from './write-status.ts'

/** How the runs of a kind are planned and reported: what `createRunSteps` cannot know. */
export type RunReporting<Object extends RunObject, Found extends FoundWorkers> = {
  workload: Workload
  /** Several of its runs, in messages. */
  plural: string
  resource: Resource<Object>
  /** The plan request to the owning service for a run that it did not request. */
  planRequestOf: (object: Object, runId: string) => PlanRequest
  /** Status fields of the kind. The steps add those that all runs share. */
  fieldsOf: (run: Run<Object, Found>) => Desired<Object['status']>
  /** Status fields of the result that the service reported. */
  outcomeOf: (concluded: RunConcluded | undefined) => Desired<Object['status']>
  /** Whether the status reflects the events that only this kind has; true by default. */
  reflectsMore?: (status: Object['status'], run: Run<Object, Found>) => boolean
  /** Why the run has another worker than its status names, if something besides the operator replaced that. */
  replacementOf?: (run: Run<Object, Found>) => string | undefined
}

export type SettleOptions<Object extends RunObject> = {
  /** Its deadline has not started. */
  isHeld?: boolean
  /** Records no warning, although the state may deserve one. */
  isQuiet?: boolean
  /** A lasting condition of the kind. */
  condition?: ConditionState
  /** Further fields. */
  more?: Desired<Object['status']>
}

export type ObtainOptions<Object extends RunObject, Found extends FoundWorkers> = {
  /** Claims or creates a worker and assigns the run to it; returns the run with it. */
  getWorker: () => Promise<Run<Object, Found>>
  /** Why the run needs another worker. */
  because?: string | undefined
  /** What the API server refuses to create by quota or policy. */
  refused: string
  /** Called when it was refused: nothing was created. */
  onRefused?: () => void
}

/** The steps of a reconcile that are the same for every kind of run. */
export type RunSteps<Object extends RunObject, Found extends FoundWorkers> = {
  /** Records a warning event. Success shows only in the status: an event for each would double the requests. */
  warn: (object: Object, reason: string, note: string) => void
  /** Patches the status; see `writeRunStatus`. */
  writeStatus: (object: Object, desired: Desired<Object['status']>, signal: AbortSignal) => Promise<Object['status']>
  /** Acknowledges the run's events if its status reflects them. */
  acknowledge: (run: Run<Object, Found>) => void
  /** Writes the state of a run if it changed, and acknowledges the events that led to it. */
  settle: (run: Run<Object, Found>, desiredStatus: DesiredStatus, options?: SettleOptions<Object>) => Promise<void>
  /**
   * Requests a plan from the owning service for a run that it did not request; returns the milliseconds until the next
   * check.
   */
  requestPlan: (run: Run<Object, Found>) => Promise<number | undefined>
  /** Assigns the run to a pod, once. */
  assign: (run: Run<Object, Found>, pod: Pod) => Promise<void>
  /** Obtains a worker for a run and requests its plan at the same time. */
  obtain: (run: Run<Object, Found>, options: ObtainOptions<Object, Found>) => Promise<Result>
  /** Reports that the maximum number of runs have workers. Until one of them ends, the deadline does not start. */
  waitForSlot: (run: Run<Object, Found>, options?: Pick<SettleOptions<Object>, 'isQuiet'>) => Promise<Result>
  /** Deletes a pod if it still has the uid that was read. */
  stopPod: (pod: Pod, signal: AbortSignal) => Promise<void>
}

/** Creates the shared steps for the controller of a kind. */
export const createRunSteps = <Object extends RunObject, Found extends FoundWorkers>(
  parts: RunParts<Object>,
  reporting: RunReporting<Object, Found>,
): RunSteps<Object, Found> => {
  const { client, store, recorder, events, clock, log, runMetrics, maxRuns } = parts
  const { workload, plural, resource, planRequestOf, fieldsOf, reflectsMore = () => true, replacementOf } = reporting
  type Steps = RunSteps<Object, Found>

  const warn: Steps['warn'] = (object, reason, note) =>
    recorder.record(resource, object, { type: 'Warning', reason, action: 'Run', note })

  const writeStatus: Steps['writeStatus'] = (object, desired, signal) =>
    writeRunStatus({ client, resource, store }, object, desired, signal)

  const logReplacement = ({ runId, object }: Run<Object, Found>, because: string): void =>
    log.info({ runId, object: keyOf(object.metadata), because }, 'repair: a lost worker is replaced')

  const acknowledge = (run: Run<Object, Found>, status: Object['status']): void => {
    const { runId, facts, found } = run
    if (reflects(status, facts, found.current?.pod.metadata.name) && reflectsMore(status, run))
      events.reflected(runId, facts.version)
  }

  const countStart = ({ memory, found: { current }, facts: { started } }: Run<Object, Found>): void => {
    if (started && current) runMetrics.started(workload, current.isClaimed, started.at - memory.acceptedAt)
  }

  /** The status fields that all runs share. */
  const sharedFields = (run: Run<Object, Found>, desiredStatus: DesiredStatus, options: SettleOptions<Object>) => {
    const { object, memory, found } = run
    const now = clock.now()
    const status = runStatus(object, desiredStatus, now)
    const conditions = options.condition
      ? mergeConditions(status.conditions ?? [], [options.condition], now)
      : status.conditions
    return {
      ...(options.isHeld ? {} : { startTime: object.status.startTime ?? secondsTime(memory.acceptedAt) }),
      ...(found.current ? { podName: found.current.pod.metadata.name } : {}),
      ...status,
      conditions,
    }
  }

  const settle: Steps['settle'] = async (run, desiredStatus, options = {}) => {
    const { object, signal } = run
    const stable = stabilizeMessage(object.status, desiredStatus)
    const shared = sharedFields(run, stable, options)
    const desired = { ...fieldsOf(run), ...shared, ...options.more } as Desired<Object['status']>
    acknowledge(run, await writeStatus(object, desired, signal))
    const because = replacementOf?.(run)
    if (because !== undefined) logReplacement(run, because)
    if (stable.phase === 'Running' && object.status.phase !== 'Running') countStart(run)
    if (!options.isQuiet && isNewWarning(object.status, stable)) warn(object, stable.reason, stable.message)
  }

  const requestPlan: Steps['requestPlan'] = (run) =>
    requestRunPlan(parts, run, () => planRequestOf(run.object, run.runId))

  /** Handles a creation that failed; reports a rejection by quota or policy in the status. */
  const refuse = async (
    run: Run<Object, Found>,
    error: unknown,
    { refused, onRefused }: ObtainOptions<Object, Found>,
  ): Promise<Result> => {
    // After any other failure it is unknown whether there is a worker.
    if (!isRefused(error)) throw error
    onRefused?.()
    if (isNamespaceTerminating(error)) return done
    const message = `Quota or policy: the API server refused the ${refused}: ${error.message}`
    await settle(run, { phase: 'Pending', reason: 'Unschedulable', message })
    return requeueAfter(refusedAgain)
  }

  return {
    warn,
    writeStatus,
    acknowledge: (run) => acknowledge(run, run.object.status),
    settle,
    requestPlan,
    assign: (run, pod) => assignRun(parts, run, pod),
    obtain: async (run, options) => {
      const { getWorker, because } = options
      // Wait for both, even if one fails: a claim that outlived this reconcile could assign a second pod to the run.
      const [obtained, planRequested] = await Promise.allSettled([getWorker(), requestPlan(run)])
      if (obtained.status === 'rejected') return refuse(run, obtained.reason, options)
      if (planRequested.status === 'rejected') throw planRequested.reason
      if (because === undefined) {
        const untilShown = Math.max(startingQuietly, run.memory.quietUntil - clock.now())
        return requeueAfter(Math.min(untilShown, planRequested.value ?? untilShown))
      }
      const message = `${sentence(because)} Another worker is started.`
      warn(run.object, 'WorkerLost', message)
      logReplacement(run, because)
      await settle(obtained.value, { phase: 'Pending', reason: 'Starting', message })
      return requeueAfter(startingQuietly)
    },
    waitForSlot: async (run, options = {}) => {
      const message = `Run limit: ${maxRuns} ${plural}, the maximum, have workers. This one starts when one of them ends.`
      run.memory.isHeld = true
      await settle(run, { phase: 'Pending', reason: 'Unschedulable', message }, { ...options, isHeld: true })
      return requeueAfter(lookedAgain)
    },
    stopPod: (pod, signal) => remove(client, pods, pod, { signal }),
  }
}
