import type { Claim } from '../runs/mod.ts'
import {
  ApiError,
  compareVersions,
  controllerOf,
  isConflict,
  isNotFound,
  type OwnerReference,
  secondsTime,
} from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import type { CountedPool } from './ledger.ts'

/** A claim that was sent: the pod as it was read, and the claim's number within its pool. */
export type Attempt = { pod: Pod; pool: CountedPool; number: number }

/** Whether the server has certainly not carried out the request. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429

/** Whether the pod has changed or is gone. */
export const isMoved = (error: unknown): boolean => isConflict(error) || isNotFound(error)

/** Oldest first: they have proved stable for longest. */
export const byPreference = (a: Pod, b: Pod): number =>
  (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
  a.metadata.name.localeCompare(b.metadata.name)

/** The merge patch that transfers a pod to the run, conditional on the version that was read. */
export const patchFor = (pod: Pod, { owner, runId, labels, annotations }: Claim, number: number, now: number) => ({
  metadata: {
    uid: pod.metadata.uid,
    resourceVersion: pod.metadata.resourceVersion,
    ownerReferences: [owner],
    labels: { ...labels, [label.pool]: null, [label.runId]: runId },
    annotations: { ...annotations, [annotation.claim]: String(number), [annotation.claimedAt]: secondsTime(now) },
  },
})

/** Whether both are versions of the same pod. */
export const isSame = (a: Pod, b: Pod): boolean => a.metadata.uid === b.metadata.uid

export const isNewer = (a: Pod, b: Pod): boolean =>
  compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0

/** Whether the pod was claimed or created for the run. */
export const isPodOf = (pod: Pod, { uid }: OwnerReference, runId: string): boolean =>
  controllerOf(pod)?.uid === uid && pod.metadata.labels?.[label.runId] === runId
