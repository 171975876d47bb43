import type { WarmPool } from '../crds/mod.ts'
import { conditionOf } from '../runtime/mod.ts'
import { annotation, type Pod } from '../workers/mod.ts'

/** The reason of a pool that rests. It is also how a new operator knows that it does. */
export const restingReason = 'Resting'

export type RestFacts = {
  pool: WarmPool
  /** Pods that were made for the pool, claimed or not. */
  origin: readonly Pod[]
  /** When a run last asked for a worker of its workload, and since when this process has seen this spec; since 1970, in milliseconds. */
  lastRequested: number | undefined
  seenSince: number
  now: number
}

export type Rest = { isResting: true } | { isResting: false; restsIn: number | undefined }

/** Whether the status says that the pool rests, of the spec as it is: whoever changes the spec wants something of the pool. */
export const wasResting = ({ metadata, status }: WarmPool): boolean => {
  const ready = conditionOf(status.conditions, 'Ready')
  return ready?.reason === restingReason && ready.observedGeneration === metadata.generation
}

/**
 * Whether a pool rests at no workers: nobody has asked for one for `idleSeconds`. Else after how many milliseconds it will,
 * if nobody asks; undefined where it never does.
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
