import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { GenerationJob, RunReason } from '../crds/mod.ts'
import {
  awaitReport,
  concluding,
  type DesiredStatus,
  decideFromEvents,
  decideFromPod,
  type Ending,
  fail,
  hasStarted,
  hasWorked,
  noReport,
  type PodFailure,
  type PodState,
  pending,
  type RunFacts,
  starting,
  type Waiting,
  wait,
} from '../runs/mod.ts'
import { sentence } from '../workers/mod.ts'
import { queueOf } from './batch-job.ts'
import { inWords, isOutOfReach } from './gpu-request.ts'
import type { Survey } from './survey.ts'

/** Milliseconds that a run waits for a GPU that no node has before it continues without one. */
export const gpuPatience = 60_000
/** Milliseconds by which the cache of pods may lag behind that of Jobs: each has its own watch. */
const podsBehind = 5_000
/** Milliseconds after which a held run is checked again without an event. */
const heldFor = 3_600_000

/** Input of the decision about an unfinished run. Times are milliseconds since 1970. */
export type GenerationView = {
  job: GenerationJob
  facts: RunFacts
  found: Survey
  /** Whether a node has such GPUs; undefined if the nodes are unknown. */
  isOffered: boolean | undefined
  acceptedAt: number
  /** When its status shows that it is starting, in milliseconds since 1970. */
  quietUntil: number
  /** Since when there is a Job without a scheduled pod. */
  waitingSince: number | undefined
  /** When the Job or the claimed pod was first seen to have ended. */
  endedAt: number
  now: number
}

export type Decision =
  | Ending
  /** The run needs a worker: an idle one, or a Job with this backoffLimit. */
  | { kind: 'obtain'; mayClaim: boolean; backoffLimit: number; because?: string }
  /** The run continues without a GPU. */
  | { kind: 'fallBack'; message: string }
  /** `isHeld`: its deadline has not started. */
  | (Waiting & { isHeld?: true })

const outcome = ({ outputSeconds: seconds }: RunConcluded): string =>
  typeof seconds === 'number' ? `It made ${Math.round(seconds * 10) / 10} s of audio.` : 'It is done.'

/** A wait that does not count towards the run's deadline. */
const held = (desiredStatus: DesiredStatus): Decision => ({ ...wait(heldFor, desiredStatus), isHeld: true })

const reasonOf: Record<PodFailure, RunReason> = {
  OOMKilled: 'OOMKilled',
  Evicted: 'Evicted',
  WorkerLost: 'WorkerLost',
  Reported: 'NoReport',
  Crashed: 'WorkerLost',
}

/** Decides about a failed Job by its last pod. */
const failedJob = ({ found, endedAt, now }: GenerationView, message: string, left: number): Decision => {
  const state = found.current?.state
  const behind = endedAt + podsBehind - now
  if (state && state.kind !== 'failed' && behind > 0) return wait(Math.min(left, behind))
  if (state?.kind !== 'failed') return fail('WorkerLost', `Its workers were lost. ${message}`)
  if (state.cause === 'Reported') return awaitReport(endedAt, { now, left }, noReport('The worker failed'))
  return fail(
    reasonOf[state.cause],
    `${found.attempts > 1 ? `Its worker failed ${found.attempts} times. ` : ''}${state.message}`,
  )
}

const withPod = (view: GenerationView, name: string, state: PodState, left: number): Decision => {
  const { job, facts, found, quietUntil, endedAt, now } = view
  const time = { now, left }
  const isStarted = hasStarted(facts, job.status, name)
  switch (state.kind) {
    case 'running':
      return isStarted
        ? wait(left, { phase: 'Running', reason: 'Running', message: 'A worker makes the audio.' })
        : starting(
            quietUntil,
            time,
            pending(found.current?.isClaimed ? 'Claimed' : 'Starting', 'The worker waits for its assignment.'),
          )
    case 'unscheduled':
      return found.gpu?.isRequired
        ? held(pending('Unschedulable', state.message))
        : wait(left, pending('Unschedulable', state.message))
    case 'failed':
      // Its Job creates another pod, or fails and reports that.
      return found.current?.isClaimed
        ? awaitReport(endedAt, time, noReport('The worker failed'))
        : wait(left, pending('Starting', `${sentence(state.message)} Another worker is started.`))
    default:
      return decideFromPod(state, isStarted, { quietUntil, endedAt, ...time })
  }
}

/**
 * Decides whether the run continues without a GPU; returns the wait until that is decided, or undefined if it does not
 * apply.
 */
const withoutGpu = ({ isOffered, found, waitingSince, now }: GenerationView): Decision | number | undefined => {
  const { gpu } = found
  if (!gpu || gpu.isRequired || waitingSince === undefined) return undefined
  const state = found.current?.state
  if (!isOutOfReach(isOffered, state?.kind === 'unscheduled' ? state.message : undefined)) return undefined
  const left = waitingSince + gpuPatience - now
  if (left > 0) return left
  return { kind: 'fallBack', message: `No node offers ${inWords(gpu)}: the run continues on the CPU.` }
}

const withJob = (view: GenerationView, batch: NonNullable<Survey['batch']>, left: number): Decision => {
  const { found, job, quietUntil, endedAt, now } = view
  const time = { now, left }
  switch (batch.state.kind) {
    case 'failed':
      return batch.state.isReported
        ? awaitReport(endedAt, time, noReport('The worker failed'))
        : failedJob(view, batch.state.message, left)
    case 'complete':
      return awaitReport(endedAt, time, noReport('The worker ended well'))
    case 'suspended': {
      const queue = queueOf(job)
      const message = queue ? `Queue: ${queue} has not admitted the Job yet.` : 'Queue: the Job is suspended.'
      // The reason is not Suspended, which would end the run and start another on resume.
      return held(pending('Unschedulable', message))
    }
    case 'active':
      return found.current
        ? withPod(view, found.current.pod.metadata.name, found.current.state, left)
        : starting(quietUntil, time, pending('Starting', 'Its worker is being created.'))
  }
}

const withoutWorker = ({ job, found: { lostClaim } }: GenerationView): Decision => {
  const { backoffLimit } = job.spec
  if (!lostClaim) return { kind: 'obtain', mayClaim: true, backoffLimit }
  if (!lostClaim.isServiceError) return { kind: 'obtain', mayClaim: false, backoffLimit, because: lostClaim.message }
  if (backoffLimit === 0) return fail('WorkerLost', lostClaim.message)
  return { kind: 'obtain', mayClaim: false, backoffLimit: backoffLimit - 1, because: lostClaim.message }
}

const byWorker = (view: GenerationView, left: number): Decision => {
  const { batch, current } = view.found
  if (current?.isClaimed) return withPod(view, current.pod.metadata.name, current.state, left)
  return batch ? withJob(view, batch, left) : withoutWorker(view)
}

const byWorkerOrGpu = (view: GenerationView, left: number): Decision => {
  const gpuless = withoutGpu(view)
  if (typeof gpuless === 'object') return gpuless
  const decision = byWorker(view, left)
  return decision.kind === 'wait' && gpuless !== undefined
    ? { ...decision, milliseconds: Math.min(decision.milliseconds, gpuless) }
    : decision
}

/** Decides what to do about an unfinished GenerationJob. */
export const decide = (view: GenerationView): Decision => {
  const { job, facts, acceptedAt, now } = view
  const { activeDeadlineSeconds } = job.spec
  const left = decideFromEvents({ facts, status: job.status, activeDeadlineSeconds, acceptedAt, now }, outcome)
  if (typeof left === 'object') return left
  if (hasWorked(facts, job.status))
    return concluding(
      facts.worked?.at ?? 0,
      { now, left },
      'The worker is done; the music service writes what it made.',
    )
  return byWorkerOrGpu(view, left)
}
