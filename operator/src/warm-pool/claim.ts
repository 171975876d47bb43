import {
  ApiError,
  compareVersions,
  controllerOf,
  isConflict,
  isNotFound,
  type OwnerReference,
  secondsTime,
} from '../runtime/mod.ts'
import { annotation, label, type Pod, type Workload } from '../workers/mod.ts'
import type { CountedPool } from './ledger.ts'

/** A run that asks for a waiting worker. */
export type Claim = {
  workload: Workload
  /** Where the run is: a worker cannot be of another namespace. */
  namespace: string
  /** The run, as controller of its pod. */
  owner: OwnerReference
  runId: string
  /** Further labels and annotations for the pod. */
  labels?: Readonly<Record<string, string>>
  annotations?: Readonly<Record<string, string>>
}

/** A claim that was sent: of a pod as it was read, under a number of its pool's. */
export type Attempt = { pod: Pod; pool: CountedPool; number: number }

/** The server has certainly not done it. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429

/** The pod is not what it was, or not there. */
export const isMoved = (error: unknown): boolean => isConflict(error) || isNotFound(error)

/** The oldest first: they have proved for longest that they stay. */
export const byPreference = (a: Pod, b: Pod): number =>
  (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
  a.metadata.name.localeCompare(b.metadata.name)

/** What of a pod says whose it is, as it becomes with the claim; and the version that it must still have. */
export const patchFor = (pod: Pod, { owner, runId, labels, annotations }: Claim, number: number, now: number) => ({
  metadata: {
    uid: pod.metadata.uid,
    resourceVersion: pod.metadata.resourceVersion,
    ownerReferences: [owner],
    labels: { ...labels, [label.pool]: null, [label.runId]: runId },
    annotations: { ...annotations, [annotation.claim]: String(number), [annotation.claimedAt]: secondsTime(now) },
  },
})

/** Whether they are one pod, as it was at one time and another. */
export const isSame = (a: Pod, b: Pod): boolean => a.metadata.uid === b.metadata.uid

export const isNewer = (a: Pod, b: Pod): boolean =>
  compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0

/** Whether the pod has been claimed for the run, or made for it. */
export const isPodOf = (pod: Pod, { uid }: OwnerReference, runId: string): boolean =>
  controllerOf(pod)?.uid === uid && pod.metadata.labels?.[label.runId] === runId
