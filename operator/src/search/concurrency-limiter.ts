import { isLive, podStateOf } from '../runs/mod.ts'
import { type Clock, controllerOf, type Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'

/**
 * Limits how many Searches have a worker at the same time. The count is derived from existing pods, so slots cannot
 * leak.
 */
export type ConcurrencyLimiter = {
  /**
   * Takes a slot for a Search, by its uid. Rejected Searches are queued, and their keys are requeued in FIFO order as
   * slots free up.
   */
  take: (uid: string, key: string) => boolean
  /** Reserves the slot of a Search that is about to replace its worker. */
  keep: (uid: string) => void
  /** Releases the slot or queue position of a Search. With a worker, the slot stays taken until that has ended. */
  leave: (uid: string, hasWorker?: boolean) => void
  readonly total: number
  /** Number of Searches with a worker or a reserved slot. */
  readonly taken: number
}

/** Milliseconds after which a reserved slot without a pod is free again. */
const longestPromise = 60_000

/**
 * Counts the live pods that `isCounted` selects, by their controller. `wake` is called with the key of the next in the
 * queue.
 */
export const createConcurrencyLimiter = ({
  pods,
  total,
  clock,
  isCounted,
  wake,
}: {
  pods: Store<Pod>
  total: number
  clock: Clock
  isCounted: (pod: Pod) => boolean
  wake: (key: string) => void
}): ConcurrencyLimiter => {
  /** Uids of live pods, by the uid of their Search. */
  const busy = new Map<string, Set<string>>()
  /** Expiry of slots reserved for pods that are not in the cache yet, by the uid of the Search. */
  const promised = new Map<string, number>()
  const queue = new Map<string, string>()

  const isPromised = (uid: string): boolean => (promised.get(uid) ?? 0) > clock.monotonic()
  const taken = (): number => {
    let count = busy.size
    for (const [uid, until] of promised) {
      if (until <= clock.monotonic()) promised.delete(uid)
      else if (!busy.has(uid)) count += 1
    }
    return count
  }
  const wakeNext = () => {
    const [next] = queue.values()
    if (next !== undefined && taken() < total) wake(next)
  }

  const count = (pod: Pod, isThere: boolean) => {
    const owner = controllerOf(pod)?.uid
    if (owner === undefined || !isCounted(pod)) return
    const live = busy.get(owner) ?? new Set<string>()
    if (isThere && isLive(podStateOf(pod))) {
      live.add(pod.metadata.uid)
      busy.set(owner, live)
      promised.delete(owner)
    } else if (live.delete(pod.metadata.uid)) {
      if (live.size === 0) busy.delete(owner)
      wakeNext()
    }
  }

  pods.onChange((change) => {
    count(change.object, change.type !== 'deleted')
  })

  return {
    take: (uid, key) => {
      const [first = uid] = queue.keys()
      const isTurn = busy.has(uid) || isPromised(uid) || (taken() < total && first === uid)
      if (!isTurn) {
        queue.set(uid, key)
        return false
      }
      queue.delete(uid)
      if (!busy.has(uid)) promised.set(uid, clock.monotonic() + longestPromise)
      // Another slot may be free.
      wakeNext()
      return true
    },
    keep: (uid) => void promised.set(uid, clock.monotonic() + longestPromise),
    leave: (uid, hasWorker = false) => {
      const hasWaited = queue.delete(uid)
      const wasPromised = !hasWorker && promised.delete(uid)
      if (hasWaited || wasPromised) wakeNext()
    },
    total,
    get taken() {
      return taken()
    },
  }
}
