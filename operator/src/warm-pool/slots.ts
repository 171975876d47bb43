import type { WarmPool } from '../crds/mod.ts'
import { type Clock, keyOf, type ObjectMeta, type Store } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { slotName } from './pool-pod.ts'

/**
 * Chooses the slots of a pool to fill. A request can be carried out long after its sender has timed out, so a slot that
 * this process requested lately may be filled at any moment, although it looks free. Such a slot is filled first, and
 * counts as filled until then; otherwise its pod could be one too many.
 */
export type Slots = {
  /**
   * Returns the slots for `count` pods; `places` is how many pods may exist beyond the present ones, lingering requests
   * included.
   */
  choose: (pool: WarmPool, count: number, places: number) => number[]
  /** Records that a pod is requested. */
  requested: (pool: WarmPool, slot: number) => void
  /** Drops a deleted pool. */
  drop: (uid: string) => void
}

/** Milliseconds for which a request may linger before it is carried out. */
const lingering = 90_000

const slotOf = ({ labels }: ObjectMeta): number => Number(labels?.[label.slot])

export const createSlots = ({ pods, clock }: { pods: Store<Pod>; clock: Clock }): Slots => {
  /** By the pool's uid and slot: until when a request may linger, and whether its pod was seen. */
  const requestedFor = new Map<string, Map<number, { until: number; isSeen: boolean }>>()

  pods.onChange(({ object: { metadata } }) => {
    const requested = requestedFor.get(metadata.annotations?.[annotation.poolUid] ?? '')?.get(slotOf(metadata))
    if (requested) requested.isSeen = true
  })

  /** Slots that were requested lately and have no pod, claimed or not. */
  const open = (pool: WarmPool): number[] => {
    const requested = requestedFor.get(pool.metadata.uid)
    if (!requested) return []
    const now = clock.monotonic()
    for (const [slot, { until }] of requested) if (until <= now) requested.delete(slot)
    const { namespace } = pool.metadata
    const isFree = (slot: number) =>
      pods.get(keyOf({ name: slotName(pool, slot), ...(namespace ? { namespace } : {}) })) === undefined
    // A pod that was never seen is the most likely to arrive late.
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
    drop: (uid) => void requestedFor.delete(uid),
  }
}

/** The `count` smallest free slots. A claimed pod retains its name, and so its slot. */
const freeSlots = (taken: ReadonlySet<number>, count: number): number[] => {
  const free: number[] = []
  for (let slot = 0; free.length < count; slot += 1) if (!taken.has(slot)) free.push(slot)
  return free
}
