import type { WarmPool } from '../crds/mod.ts'
import { type Clock, keyOf, type ObjectMeta, type Store } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { slotName } from './pool-pod.ts'

/**
 * Which slots of a pool can be filled. A request can be carried out long after its sender has given it up, so a slot that
 * this process has lately asked for may be filled any moment, though it looks free: it is filled first, and for as long as
 * it is not it counts as if it were. Otherwise such a pod would be one too many.
 */
export type Slots = {
  /** The slots to fill for so many pods, of which so many may be added to what there is and may yet be. */
  choose: (pool: WarmPool, count: number, places: number) => number[]
  /** A pod is asked for. */
  requested: (pool: WarmPool, slot: number) => void
  /** For a pool that is gone. */
  forget: (uid: string) => void
}

/** Milliseconds for which a request may linger on its way. */
const lingering = 90_000

const slotOf = ({ labels }: ObjectMeta): number => Number(labels?.[label.slot])

export const createSlots = ({ pods, clock }: { pods: Store<Pod>; clock: Clock }): Slots => {
  /** By the uid of the pool and the slot: until when a request for it may linger, and whether its pod was seen. */
  const requestedFor = new Map<string, Map<number, { until: number; isSeen: boolean }>>()

  pods.onChange(({ object: { metadata } }) => {
    const requested = requestedFor.get(metadata.annotations?.[annotation.poolUid] ?? '')?.get(slotOf(metadata))
    if (requested) requested.isSeen = true
  })

  /** Slots that were asked for lately and have no pod, claimed or not. */
  const open = (pool: WarmPool): number[] => {
    const requested = requestedFor.get(pool.metadata.uid)
    if (!requested) return []
    const now = clock.monotonic()
    for (const [slot, { until }] of requested) if (until <= now) requested.delete(slot)
    const { namespace } = pool.metadata
    const isFree = (slot: number) =>
      pods.get(keyOf({ name: slotName(pool, slot), ...(namespace ? { namespace } : {}) })) === undefined
    // What was never seen is the likeliest to be there all the same.
    return [...requested]
      .filter(([slot]) => isFree(slot))
      .sort(([a, { isSeen: wasA }], [b, { isSeen: wasB }]) => Number(wasA) - Number(wasB) || a - b)
      .map(([slot]) => slot)
  }

  return {
    choose: (pool, count, places) => {
      if (count <= 0) return []
      const lingered = open(pool)
      const taken = new Set(lingered)
      for (const { metadata } of pods.by('origin', pool.metadata.uid)) taken.add(slotOf(metadata))
      const again = lingered.slice(0, count)
      return [...again, ...freeSlots(taken, Math.min(count - again.length, places - lingered.length))]
    },
    requested: (pool, slot) => {
      const requested = requestedFor.get(pool.metadata.uid) ?? new Map<number, { until: number; isSeen: boolean }>()
      requested.set(slot, { until: clock.monotonic() + lingering, isSeen: false })
      requestedFor.set(pool.metadata.uid, requested)
    },
    forget: (uid) => void requestedFor.delete(uid),
  }
}

/** The smallest slots that are not taken, as many as asked for. A claimed pod keeps its name, and so its slot. */
const freeSlots = (taken: ReadonlySet<number>, count: number): number[] => {
  const free: number[] = []
  for (let slot = 0; free.length < count; slot += 1) if (!taken.has(slot)) free.push(slot)
  return free
}
