import { isLive, podStateOf } from '../runs/mod.ts'
import { type Clock, controllerOf, type Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'

/** How many Searches may have a worker at a time. What is taken is read off the pods that there are, so that nothing leaks. */
export type ConcurrencyLimiter = {
  /**
   * Whether a Search, by its uid, may have a worker now. Who is told no waits in line, by the key that it is woken with when
   * it is its turn.
   */
  take: (uid: string, key: string) => boolean
  /** The Search is about to have another worker in place of the one that it has: its place is kept meanwhile. */
  keep: (uid: string) => void
  /** The Search does not want a worker any more, or for now. One that it has keeps the place until it has ended. */
  leave: (uid: string, hasWorker?: boolean) => void
  readonly total: number
  /** Searches with a worker, or about to have one. */
  readonly taken: number
}

/** Milliseconds after which a place that was taken and never filled is free again. */
const longestPromise = 60_000

/** Counts the live pods that `isCounted` picks, by what controls them. `wake` is called with the key of who may go on. */
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
  /** Until when a place is kept for a pod that is not seen yet, by the uid of the Search. */
  const promised = new Map<string, number>()
  const line = new Map<string, string>()

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
    const [next] = line.values()
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
      const [first = uid] = line.keys()
      const isTurn = busy.has(uid) || isPromised(uid) || (taken() < total && first === uid)
      if (!isTurn) {
        line.set(uid, key)
        return false
      }
      line.delete(uid)
      if (!busy.has(uid)) promised.set(uid, clock.monotonic() + longestPromise)
      // There may be room for one more.
      wakeNext()
      return true
    },
    keep: (uid) => void promised.set(uid, clock.monotonic() + longestPromise),
    leave: (uid, hasWorker = false) => {
      const hasWaited = line.delete(uid)
      const wasPromised = !hasWorker && promised.delete(uid)
      if (hasWaited || wasPromised) wakeNext()
    },
    total,
    get taken() {
      return taken()
    },
  }
}
