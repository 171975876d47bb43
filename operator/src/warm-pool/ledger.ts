import type { WarmPool } from '../crds/mod.ts'
import { keyOf, type ObjectRef, type Store } from '../runtime/mod.ts'
import { annotation, type Pod } from '../workers/mod.ts'
import { numberIn } from './idle-pods.ts'

/** The pool that a claim is counted for. */
export type CountedPool = ObjectRef & { uid: string }

/**
 * Numbers the claims of each pool. The number goes to the pod with the patch that claims it, so counting costs no request,
 * and an operator that is killed before it has written `status.claimed` leaves it where the next one looks: on the pods,
 * which stay until the TTL of their runs. The count is exact but for claims whose requests were lost for good, which count,
 * and for those that an operator had no time to write down, or to see, before it was killed and their pods were gone.
 */
export type Ledger = {
  /** The number of a claim that is about to be tried. */
  next: (pool: CountedPool) => number
  /** The claim was certainly not made; its number goes to the next. */
  giveBack: (pool: CountedPool, number: number) => void
  /** Claims so far. */
  count: (pool: CountedPool) => number
  /** For a pool that is gone. */
  forget: (uid: string) => void
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
    giveBack: (pool, number) => void pageOf(pool).free.add(number),
    count: (pool) => {
      const { highest, free } = pageOf(pool)
      return highest - free.size
    },
    forget: (uid) => void pages.delete(uid),
  }
}
