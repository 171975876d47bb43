import { type BatchCondition, type BatchJob, batchJobs } from '../../../src/generation-job/batch-job.ts'
import { isLive, podStateOf, reportedExitCode } from '../../../src/runs/mod.ts'
import { controllerOf, type Draft, isBeingDeleted, ownerReference } from '../../../src/runtime/mod.ts'
import { type Pod, pods } from '../../../src/workers/mod.ts'
import type { Simulation } from '../mod.ts'

/** Delays of the Job controller and the queue, and how often the queue preempts an admitted Job. */
export type JobFaults = {
  /** Milliseconds until a change is acted on. */
  delay: readonly [number, number]
  /** Milliseconds until a queue admits a Job. */
  admission: readonly [number, number]
  /** The fraction of admitted Jobs that the queue suspends again. */
  preempted: number
}

export const calmJobs: JobFaults = { delay: [5, 30], admission: [100, 2_000], preempted: 0 }
export const stormyJobs: JobFaults = { delay: [5, 2_000], admission: [500, 40_000], preempted: 0.2 }

/** The finalizer of a pod whose end has not been counted. */
const tracking = 'batch.kubernetes.io/job-tracking'
/** Milliseconds before the next pod after the first failure; doubled with each failure. */
const firstPause = 10_000

const finishedTypes = ['Complete', 'Failed']
const targetTypes = ['SuccessCriteriaMet', 'FailureTarget']

type Verdict = 'succeeded' | 'ignored' | 'failed' | 'hopeless'

/** What the end of a pod means for its Job, by the pod failure policy of our Jobs. */
const verdictOn = ({ status }: Pod): Verdict => {
  if (status?.phase === 'Succeeded') return 'succeeded'
  if (status?.containerStatuses?.[0]?.state?.terminated?.exitCode === reportedExitCode) return 'hopeless'
  return status?.conditions?.some(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True')
    ? 'ignored'
    : 'failed'
}

/**
 * Simulates the Job controller as far as our Jobs use it: one pod at a time and none beside a pod that may still work, each end
 * counted once, a backoff that doubles with each failure, `FailureTarget` before `Failed`; and a queue that suspends and resumes.
 */
export const runJobs = (simulation: Simulation): { weather: (faults: JobFaults) => void } => {
  const { clock, random, storage } = simulation
  /** Uids of pods whose end was counted. */
  const counted = new Set<string>()
  /** Until when no pod is created for a Job, by the Job's uid. */
  const pausedUntil = new Map<string, number>()
  const pending = new Set<string>()
  let faults = calmJobs

  const find = (uid: string) => storage.list(batchJobs).find(({ metadata }) => metadata.uid === uid)
  const podsOf = (uid: string) => storage.list(pods).filter((pod) => controllerOf(pod)?.uid === uid)

  const release = ({ metadata }: Pod) => {
    const finalizers = (metadata.finalizers ?? []).filter((name) => name !== tracking)
    if (finalizers.length !== metadata.finalizers?.length)
      storage.patch(pods, metadata, { type: 'merge', body: { metadata: { finalizers } } })
  }

  const setStatus = ({ metadata, status }: BatchJob, next: NonNullable<BatchJob['status']>) =>
    storage.patch(
      batchJobs,
      metadata,
      { type: 'merge', body: { status: { ...status, ...next } } },
      { subresource: 'status' },
    )

  const makePod = (job: BatchJob) => {
    const { spec, metadata } = job
    if (!spec) return
    const { labels, annotations } = spec.template.metadata
    storage.create(pods, {
      metadata: {
        name: `${metadata.name}-${Math.floor(random() * 36 ** 5)
          .toString(36)
          .padStart(5, '0')}`,
        namespace: metadata.namespace,
        labels: { ...labels, 'batch.kubernetes.io/job-name': metadata.name },
        annotations,
        finalizers: [tracking],
        ownerReferences: [ownerReference(batchJobs, job)],
      },
      spec: spec.template.spec,
    } as Draft<Pod>)
  }

  /** Counts the pods that have ended, and returns the resulting condition. */
  const count = (job: BatchJob, own: readonly Pod[]): BatchCondition | undefined => {
    const { status = {}, spec, metadata } = job
    let { failed = 0, succeeded = 0 } = status
    let isHopeless = false
    for (const pod of own) {
      if (isLive(podStateOf(pod)) || counted.has(pod.metadata.uid)) continue
      counted.add(pod.metadata.uid)
      const verdict = verdictOn(pod)
      if (verdict === 'succeeded') succeeded += 1
      if (verdict === 'hopeless') isHopeless = true
      // Pods ended by a queue's suspension do not count as failures.
      if (verdict !== 'failed' || spec?.suspend) continue
      failed += 1
      pausedUntil.set(metadata.uid, clock.monotonic() + firstPause * 2 ** (failed - 1))
    }
    const live = own.filter((pod) => isLive(podStateOf(pod)))
    const terminating = live.filter(isBeingDeleted).length
    setStatus(job, { active: live.length - terminating, terminating, failed, succeeded })
    if (succeeded > 0) return { type: 'SuccessCriteriaMet', status: 'True' }
    if (isHopeless)
      return {
        type: 'FailureTarget',
        status: 'True',
        reason: 'PodFailurePolicy',
        message: 'The worker reported the failure.',
      }
    return failed > (spec?.backoffLimit ?? 0)
      ? { type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded', message: 'Too many pods have failed.' }
      : undefined
  }

  const stopAll = (own: readonly Pod[]) => {
    for (const pod of own) if (isLive(podStateOf(pod)) && !isBeingDeleted(pod)) storage.delete(pods, pod.metadata)
  }

  const conclude = (job: BatchJob, target: BatchCondition, own: readonly Pod[]) => {
    stopAll(own)
    if (own.some((pod) => isLive(podStateOf(pod)))) return
    const type = target.type === 'SuccessCriteriaMet' ? 'Complete' : 'Failed'
    setStatus(job, { conditions: [...(job.status?.conditions ?? []), { ...target, type }] })
  }

  const sync = (uid: string) => {
    const before = find(uid)
    const own = podsOf(uid)
    // The pods of a deleted Job are released without being counted.
    if (!before || isBeingDeleted(before)) {
      for (const pod of own) release(pod)
      return
    }
    const holds = (types: string[]) => before.status?.conditions?.find(({ type }) => types.includes(type))
    if (!holds(finishedTypes)) {
      const news = count(before, own)
      const job = find(uid) ?? before
      const target = holds(targetTypes)
      if (target) conclude(job, target, own)
      else if (news) setStatus(job, { conditions: [...(job.status?.conditions ?? []), news] })
      else if (job.spec?.suspend) stopAll(own)
      else if (!own.some((pod) => isLive(podStateOf(pod)))) {
        const pause = (pausedUntil.get(uid) ?? 0) - clock.monotonic()
        if (pause > 0) look(uid, pause)
        else makePod(job)
      }
    }
    for (const pod of own) if (counted.has(pod.metadata.uid)) release(pod)
  }

  const look = (uid: string, min = 0) => {
    if (pending.has(uid)) return
    pending.add(uid)
    clock.after(min + random.between(...faults.delay), () => {
      pending.delete(uid)
      sync(uid)
    })
  }

  const suspend = (uid: string, value: boolean) => {
    const job = find(uid)
    if (job && !isBeingDeleted(job))
      storage.patch(batchJobs, job.metadata, { type: 'merge', body: { spec: { suspend: value } } })
  }

  const admit = (uid: string) => {
    clock.after(random.between(...faults.admission), () => {
      suspend(uid, false)
      if (!random.chance(faults.preempted)) return
      clock.after(random.between(1_000, 20_000), () => {
        suspend(uid, true)
        admit(uid)
      })
    })
  }

  storage.onCommit(({ type, resource, object }) => {
    if (resource.plural === batchJobs.plural) {
      look(object.metadata.uid)
      if (type === 'ADDED' && (object as BatchJob).spec?.suspend) admit(object.metadata.uid)
    }
    const owner = resource.plural === pods.plural ? controllerOf(object) : undefined
    if (owner?.kind === 'Job') look(owner.uid)
  })

  return {
    weather: (next) => {
      faults = next
    },
  }
}
