import type { OwnerReference } from '../runtime/mod.ts'
import type { Pod, Workload } from '../workers/mod.ts'

/** A run's request for an idle worker. */
export type Claim = {
  workload: Workload
  /** Namespace of the run: its worker must be in the same one. */
  namespace: string
  /** The run, as controller of its pod. */
  owner: OwnerReference
  runId: string
  /** Further labels and annotations for the pod. */
  labels?: Readonly<Record<string, string>>
  annotations?: Readonly<Record<string, string>>
}

/** Claims of idle workers, as run controllers use them; warm pools implement it. */
export type Claims = {
  /**
   * Claims a ready idle pod for the run and returns it, or undefined if there is none. Idempotent per run: a repeated
   * call returns the same pod, also before the cache shows the claim or if the response to an earlier claim was lost:
   * that claim is settled before another pod is tried, so a run never gets two. The result undefined is sticky for two
   * minutes: a pod may have been created instead that the cache does not show yet. Throws if the API server is
   * unreachable or rejects the claim; the caller must not start a replacement then, as the claim may have succeeded.
   */
  claim: (claim: Claim, signal?: AbortSignal) => Promise<Pod | undefined>
  /**
   * Returns the pod of an earlier claim of the run, also of one whose response was lost, and claims no other; to be
   * called before a pod is created instead. Throws as `claim` does.
   */
  settle: (claim: Claim, signal?: AbortSignal) => Promise<Pod | undefined>
  /** Whether an idle worker could be claimed. */
  isWaiting: (demandKey: Pick<Claim, 'namespace' | 'workload'>) => boolean
  /**
   * Allows a run that found no idle worker to claim again. The caller has removed the pod that was created instead.
   */
  retryClaim: (runId: string) => void
}
