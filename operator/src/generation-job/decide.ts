import type { RunConcluded } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { GenerationJob, RunReason } from '../crds/mod.ts'
import {
  awaitReport,
  type DesiredStatus,
  debounced,
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
  type Waiting,
  wait,
} from '../runs/mod.ts'
import { queueOf } from './batch-job.ts'
import { type GpuRequest, inWords, isOutOfReach } from './gpu-wish.ts'
import type { Survey } from './survey.ts'

/** Milliseconds that a run waits for a GPU that no node has, before it goes on without. */
export const gpuPatience = 60_000
/** Milliseconds by which what is known of a Job may be ahead of what is known of its pods: each is watched by itself. */
const podsBehind = 5_000
/** Milliseconds after which a run whose time has not begun is looked at again, though nothing was heard of it. */
const heldFor = 3_600_000

/** All that is reckoned with of a run that has not ended. Times are milliseconds since 1970. */
export type GenerationView = {
  job: GenerationJob
  facts: RunFacts
  found: Survey
  /** What its Job has, or is to have. */
  gpu: GpuRequest | undefined
  /** Whether some node has such GPUs; undefined where the nodes are not known. */
  isOffered: boolean | undefined
  acceptedAt: number
  /** Since when there is a Job and no pod of it that a node has taken. */
  waitingSince: number | undefined
  /** When the Job or the claimed pod was first seen to have ended. */
  endedAt: number
  now: number
}

export type Decision =
  | Ending
  /** It needs a worker: a waiting one, or a Job that may fail so often. */
  | { kind: 'obtain'; mayClaim: boolean; backoffLimit: number; because?: string }
  /** It goes on without a GPU. */
  | { kind: 'fallBack'; message: string }
  /** `isHeld`: its time has not begun. */
  | (Waiting & { isHeld?: true })

const outcome = ({ outputSeconds: seconds }: RunConcluded): string =>
  typeof seconds === 'number' ? `It made ${Math.round(seconds * 10) / 10} s of audio.` : 'It is done.'

/** Waiting that is not the run's own time. */
const held = (desiredStatus: DesiredStatus): Decision => ({ ...wait(heldFor, desiredStatus), isHeld: true })

const reasonOf: Record<PodFailure, RunReason> = {
  OOMKilled: 'OOMKilled',
  Evicted: 'Evicted',
  WorkerLost: 'WorkerLost',
  Reported: 'NoReport',
  Crashed: 'WorkerLost',
}

/** Why a Job failed, by the last of its pods. */
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
  const { job, facts, found, gpu, acceptedAt, endedAt, now } = view
  const time = { now, left }
  const isStarted = hasStarted(facts, job.status, name)
  switch (state.kind) {
    case 'running':
      return isStarted
        ? wait(left, { phase: 'Running', reason: 'Running', message: 'A worker makes the audio.' })
        : debounced(
            acceptedAt,
            time,
            pending(found.current?.isClaimed ? 'Claimed' : 'Starting', 'The worker waits for what it is to do.'),
          )
    case 'unscheduled':
      return gpu?.isRequired
        ? held(pending('Unschedulable', state.message))
        : wait(left, pending('Unschedulable', state.message))
    case 'failed':
      // Its Job makes another, or gives up, and says so.
      return found.current?.isClaimed
        ? awaitReport(endedAt, time, noReport('The worker failed'))
        : wait(left, pending('Starting', `${state.message} Another worker is started.`))
    default:
      return decideFromPod(state, isStarted, { acceptedAt, endedAt, ...time })
  }
}

/** Whether the run is to go on without a GPU; a wait until that can be told, or undefined where it is no question. */
const withoutGpu = ({ gpu, isOffered, found, waitingSince, now }: GenerationView): Decision | number | undefined => {
  if (!gpu || gpu.isRequired || waitingSince === undefined) return undefined
  const state = found.current?.state
  if (!isOutOfReach(isOffered, state?.kind === 'unscheduled' ? state.message : undefined)) return undefined
  const left = waitingSince + gpuPatience - now
  if (left > 0) return left
  return { kind: 'fallBack', message: `No node offers ${inWords(gpu)}: it is made on the CPU.` }
}

const withJob = (view: GenerationView, batch: NonNullable<Survey['batch']>, left: number): Decision => {
  const { found, job, acceptedAt, endedAt, now } = view
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
      // Not Suspended: that ends a run, and what is resumed after it is another one.
      return held(pending('Unschedulable', message))
    }
    case 'active':
      return found.current
        ? withPod(view, found.current.pod.metadata.name, found.current.state, left)
        : debounced(acceptedAt, time, pending('Starting', 'Its worker is being made.'))
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

/** What is to be done about a GenerationJob that has not ended. */
export const decide = (view: GenerationView): Decision => {
  const { job, facts, acceptedAt, now } = view
  const { activeDeadlineSeconds } = job.spec
  const left = decideFromEvents({ facts, status: job.status, activeDeadlineSeconds, acceptedAt, now }, outcome)
  if (typeof left === 'object') return left
  if (hasWorked(facts, job.status)) {
    const message = 'The worker is done; the music service writes what it made.'
    return wait(left, { phase: 'Running', reason: 'Finished', message })
  }
  return byWorkerOrGpu(view, left)
}
