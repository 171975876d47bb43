import type { WarmPool } from '../crds/mod.ts'
import {
  ApiError,
  type Client,
  type Expectations,
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
  keyOf,
  type ObjectRef,
  type Store,
} from '../runtime/mod.ts'
import { type Pod, pods as podKind } from '../workers/mod.ts'
import { type Blueprint, poolPod } from './pool-pod.ts'
import type { Reservations } from './reservations.ts'
import type { Slots } from './slots.ts'

/** Creates and deletes the pods of a pool. Each write is an expectation until the cache shows it. */
export type PoolRequests = {
  /** Creates a pod. Returns the API server's message if it rejects the pod; throws if it does not respond. */
  create: (
    pool: WarmPool,
    place: { slot: number; attempt: number },
    blueprint: Blueprint,
  ) => Promise<string | undefined>
  /** Deletes a pod unless it has changed since it was read: it may have been claimed. */
  remove: (pool: WarmPool, pod: Pod) => Promise<void>
}

export type PoolRequestsOptions = {
  client: Client
  pods: Store<Pod>
  expectations: Expectations
  reservations: Reservations
  slots: Slots
}

/** Whether the pod itself was rejected: by a quota, a policy, or validation. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 403 || error.status === 400 || error.status === 422)

export const createPoolRequests = ({
  client,
  pods,
  expectations,
  reservations,
  slots,
}: PoolRequestsOptions): PoolRequests => {
  /**
   * A pod of that name exists: expect it until the cache shows it, unless it already does or the pod is gone again.
   */
  const awaitExisting = async (ref: ObjectRef) => {
    const isGone = await client.get(podKind, ref).then(
      () => false,
      (error: unknown) => {
        if (isNotFound(error)) return true
        throw error
      },
    )
    if (isGone || pods.get(keyOf(ref))) expectations.withdraw(keyOf(ref))
  }

  return {
    create: async (pool, place, blueprint) => {
      const pod = poolPod(pool, place, blueprint)
      const ref = { name: '', ...pod.metadata }
      const child = keyOf(ref)
      expectations.expectCreation(keyOf(pool.metadata), child)
      slots.requested(pool, place.slot)
      try {
        await client.create(podKind, pod)
        return undefined
      } catch (error) {
        if (isAlreadyExists(error)) {
          await awaitExisting(ref)
          return undefined
        }
        expectations.withdraw(child)
        // The pool is deleted with its namespace.
        if (isNamespaceTerminating(error)) return undefined
        if (isRefusal(error)) return error.message
        throw error
      }
    },
    remove: async (pool, pod) => {
      const { uid, resourceVersion } = pod.metadata
      if (!reservations.take(pod)) return
      expectations.expectDeletion(keyOf(pool.metadata), uid)
      try {
        await client.delete(podKind, pod.metadata, { preconditions: { uid, resourceVersion } })
      } catch (error) {
        expectations.withdraw(uid)
        reservations.release(pod)
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
    },
  }
}
