import { isLive, podStateOf } from '../runs/mod.ts'
import { keyOf, type Store } from '../runtime/mod.ts'
import type { Pod } from '../workers/mod.ts'
import { poolOf } from './idle-pods.ts'
import type { Member } from './member.ts'

/** An idle worker that ended or whose pod is gone, without being claimed or removed by its pool. */
export type Loss = { pod: string; because: string }

/** Lost idle workers that are not replaced yet, for the log. Best effort: a restart of the operator drops them. */
export type Losses = {
  /** Watches the members of a pool that should stay. */
  watch: (poolUid: string, members: readonly Member[]) => void
  /** Records that the pool itself removes the pod. */
  removing: (pod: Pod) => void
  /** Returns the oldest losses of a pool, up to `limit`, and drops them. */
  take: (poolUid: string, limit: number) => Loss[]
  /** Drops the losses of a pool that is full without a replacement. */
  settled: (poolUid: string) => void
  /** Drops a deleted pool. */
  drop: (poolUid: string) => void
}

/** Kinds of members that should stay. */
const staying: ReadonlySet<Member['kind']> = new Set(['ready', 'starting', 'held'])

export const createLosses = ({ pods }: { pods: Store<Pod> }): Losses => {
  /** The pool of each watched pod, by their uids. */
  const watched = new Map<string, string>()
  const lost = new Map<string, Loss[]>()

  pods.onChange(({ type, object }) => {
    const { uid } = object.metadata
    const pool = watched.get(uid)
    if (pool === undefined) return
    const isIdle = poolOf(object)?.uid === pool
    const state = podStateOf(object)
    if (type !== 'deleted' && isIdle && isLive(state)) return
    watched.delete(uid)
    if (!isIdle) return
    const because = 'message' in state && !isLive(state) ? state.message : 'Its pod is gone.'
    lost.set(pool, [...(lost.get(pool) ?? []), { pod: keyOf(object.metadata), because }])
  })

  return {
    watch: (pool, members) => {
      for (const { pod, kind, isReserved } of members)
        if (staying.has(kind) && !isReserved) watched.set(pod.metadata.uid, pool)
    },
    removing: ({ metadata: { uid } }) => void watched.delete(uid),
    take: (pool, limit) => lost.get(pool)?.splice(0, limit) ?? [],
    settled: (pool) => void lost.delete(pool),
    drop: (pool) => {
      lost.delete(pool)
      for (const [uid, of] of watched) if (of === pool) watched.delete(uid)
    },
  }
}
