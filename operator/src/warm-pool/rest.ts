import type { WarmPool } from '../crds/mod.ts'
import { conditionOf } from '../runtime/mod.ts'
import { annotation, type Pod } from '../workers/mod.ts'

/** The condition reason of a resting pool, from which a new operator also learns that it rests. */
export const restingReason = 'Resting'

export type RestFacts = {
  pool: WarmPool
  /** Pods created for the pool, claimed or not. */
  origin: readonly Pod[]
  /**
   * When a run last requested a worker of its workload, and since when this process has seen this spec; in milliseconds
   * since 1970.
   */
  lastRequested: number | undefined
  seenSince: number
  now: number
}

export type Rest = { isResting: true } | { isResting: false; restsIn: number | undefined }

/** Whether the status shows the pool resting for the current spec: a spec change ends the rest. */
export const wasResting = ({ metadata, status }: WarmPool): boolean => {
  const ready = conditionOf(status.conditions, 'Ready')
  return ready?.reason === restingReason && ready.observedGeneration === metadata.generation
}

/**
 * Whether a pool rests without workers because no run has requested one for `idleSeconds`. Otherwise the milliseconds
 * until it will, without further requests; undefined if it never does.
 */
export const restOf = ({ pool, origin, lastRequested, seenSince, now }: RestFacts): Rest => {
  const { idleSeconds } = pool.spec
  if (idleSeconds === 0) return { isResting: false, restsIn: undefined }
  if (wasResting(pool) && lastRequested === undefined) return { isResting: true }
  const claims = origin.map(({ metadata }) => Date.parse(metadata.annotations?.[annotation.claimedAt] ?? '') || 0)
  const since = Math.max(seenSince, lastRequested ?? 0, ...claims)
  const restsIn = since + idleSeconds * 1_000 - now
  return restsIn <= 0 ? { isResting: true } : { isResting: false, restsIn }
}
