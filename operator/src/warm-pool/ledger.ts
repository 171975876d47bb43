import type { WarmPool } from '../crds/mod.ts'
import { keyOf, type ObjectRef, type Store } from '../runtime/mod.ts'
import { annotation, type Pod } from '../workers/mod.ts'
import { numberIn } from './idle-pods.ts'

/** The pool that a claim is counted for. */
export type CountedPool = ObjectRef & { uid: string }

/**
 * Numbers the claims of each pool. The patch that claims a pod stores the number on it, so counting costs no request,
 * and an operator killed before it has written `status.claimed` leaves it on the pods, where the next one looks and
 * which stay until the TTL of their runs. The count is exact except for claims whose requests were permanently lost,
 * which count, and for claims that an operator had no time to write down, or to see, before it was killed and their
 * pods were gone.
 */
export type Ledger = {
  /** Allocates the number of a claim that is about to be tried. */
  next: (pool: CountedPool) => number
  /** Returns the number of a claim that certainly failed; the next claim reuses it. */
  release: (pool: CountedPool, number: number) => void
  /** Number of claims so far. */
  count: (pool: CountedPool) => number
  /** Drops a deleted pool. */
  drop: (uid: string) => void
}

type Page = { highest: number; free: Set<number> }

export const createLedger = ({ pods, pools }: { pods: Store<Pod>; pools: Store<WarmPool> }): Ledger => {
  const pages = new Map<string, Page>()

  const pageOf = (pool: CountedPool): Page => {
    const held = pages.get(pool.uid)
    const written = pools.get(keyOf(pool))
    const inStatus = written?.metadata.uid === pool.uid ? (written.status.claimed ?? 0) : 0
    if (held) {
      held.highest = Math.max(held.highest, inStatus)
      return held
    }
    const onPods = pods.by('origin', pool.uid).map((pod) => numberIn(pod, annotation.claim))
    const page = { highest: Math.max(inStatus, 0, ...onPods), free: new Set<number>() }
    pages.set(pool.uid, page)
    return page
  }

  return {
    next: (pool) => {
      const page = pageOf(pool)
      const [free] = page.free
      if (free !== undefined) {
        page.free.delete(free)
        return free
      }
      page.highest += 1
      return page.highest
    },
    release: (pool, number) => void pageOf(pool).free.add(number),
    count: (pool) => {
      const { highest, free } = pageOf(pool)
      return highest - free.size
    },
    drop: (uid) => void pages.delete(uid),
  }
}
