import { type Clock, compareVersions, type Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { isClaimable } from './idle-pods.ts'

/**
 * Pods that something of this process is about to change, so that nothing else of it tries the same ones. It saves
 * requests that would fail, and decides nothing: the API server does, by the version that each request names.
 */
export type Reservations = {
  /** Takes a pod; false where it is taken. */
  take: (pod: Pod) => boolean
  /** Gives it back: what was tried did certainly not happen. */
  giveBack: (pod: Pod) => void
  isTaken: (pod: Pod) => boolean
}

/** Milliseconds after which a reservation lapses that neither was given back nor led to anything. */
const lapse = 60_000

export const createReservations = ({ pods, clock }: { pods: Store<Pod>; clock: Clock }): Reservations => {
  const taken = new Map<string, { version: string; until: number }>()

  pods.onChange(({ type, object }) => {
    const held = taken.get(object.metadata.uid)
    if (!held) return
    const hasMovedOn = compareVersions(object.metadata.resourceVersion, held.version) > 0
    // As long as the pod can be claimed, the change may be another one, such as a probe's.
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
    giveBack: ({ metadata }) => void taken.delete(metadata.uid),
  }
}
