import { type Clock, compareVersions, type Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { isClaimable } from './idle-pods.ts'

/**
 * Pods that this process is about to change, so that it does not try the same pod twice. It only saves requests that
 * would fail: the API server decides, by the version in each request.
 */
export type Reservations = {
  /** Reserves a pod; false if it is already reserved. */
  take: (pod: Pod) => boolean
  /** Releases a pod after an attempt that certainly failed. */
  release: (pod: Pod) => void
  isTaken: (pod: Pod) => boolean
}

/** Milliseconds after which a reservation without an outcome expires. */
const lapse = 60_000

export const createReservations = ({ pods, clock }: { pods: Store<Pod>; clock: Clock }): Reservations => {
  const taken = new Map<string, { version: string; until: number }>()

  pods.onChange(({ type, object }) => {
    const held = taken.get(object.metadata.uid)
    if (!held) return
    const hasMovedOn = compareVersions(object.metadata.resourceVersion, held.version) > 0
    // As long as the pod is claimable, the change may be unrelated, such as a probe's.
    if (type === 'deleted' || (hasMovedOn && !isClaimable(object))) taken.delete(object.metadata.uid)
  })

  const isTaken = ({ metadata }: Pod): boolean => {
    const held = taken.get(metadata.uid)
    if (held && held.until <= clock.monotonic()) taken.delete(metadata.uid)
    return taken.has(metadata.uid)
  }

  return {
    isTaken,
    take: (pod) => {
      if (isTaken(pod)) return false
      taken.set(pod.metadata.uid, { version: pod.metadata.resourceVersion, until: clock.monotonic() + lapse })
      return true
    },
    release: ({ metadata }) => void taken.delete(metadata.uid),
  }
}
