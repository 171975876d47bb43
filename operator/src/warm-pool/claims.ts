import type { Log } from '@trellis/kit/telemetry'
import { type Claim, type Claims, isLive, podStateOf } from '../runs/mod.ts'
import { type Client, type Clock, isNotFound, type Store } from '../runtime/mod.ts'
import { annotation, type Pod, pods as podKind } from '../workers/mod.ts'
import { type Attempt, byPreference, isMoved, isNewer, isPodOf, isRefusal, isSame, patchFor } from './claim.ts'
import type { ClaimMetrics } from './claim-metrics.ts'
import type { Demand } from './demand.ts'
import { idleKey, isClaimable, numberIn, podKey, poolOf } from './idle-pods.ts'
import type { CountedPool, Ledger } from './ledger.ts'
import type { Reservations } from './reservations.ts'

export type ClaimsOptions = {
  client: Client
  /** A cache with `poolIndexes`. */
  pods: Store<Pod>
  reservations: Reservations
  demand: Demand
  ledger: Ledger
  clock: Clock
  log: Log
  metrics: ClaimMetrics
}

/** Maximum attempts at a pod that changes concurrently, for example by its node's probes. */
const triesPerPod = 3

/** Milliseconds for which a run that found no idle worker claims none. */
const coldFor = 120_000

type Options = { signal?: AbortSignal }

/** Claims idle pods of pools for runs. One per process, for all kinds of runs. */
export const createClaims = (options: ClaimsOptions): Claims => {
  const { client, pods, reservations, demand, ledger, clock, log, metrics } = options
  /** Claims with an unknown outcome, by run id. */
  const doubtful = new Map<string, Attempt>()
  /** Claims in progress, by run id: concurrent calls share the result. */
  const pending = new Map<string, Promise<Pod | undefined>>()
  /** Until when runs do without an idle worker, by run id; the first to expire is first. */
  const cold = new Map<string, number>()

  pods.onChange(({ type, object }) => {
    for (const [run, { pod, pool, number }] of doubtful) {
      // A claim is conditional on the version that was read: once that is past, the claim succeeded and shows, or never
      // will.
      if (!isSame(pod, object) || !(type === 'deleted' || isNewer(object, pod))) continue
      doubtful.delete(run)
      if (numberIn(object, annotation.claim) !== number) ledger.release(pool, number)
    }
  })

  const countedFor = (pod: Pod): CountedPool | undefined => {
    const pool = poolOf(pod)
    const { namespace } = pod.metadata
    return pool && { name: pool.name, uid: pool.uid, ...(namespace ? { namespace } : {}) }
  }

  const attemptAt = (pod: Pod): Attempt | undefined => {
    const pool = countedFor(pod)
    return pool && { pod, pool, number: ledger.next(pool) }
  }

  /** Reads the pod from the server; undefined if it is gone. */
  const look = async (pod: Pod, options: Options): Promise<Pod | undefined> => {
    try {
      const live = await client.get(podKind, pod.metadata, options)
      return live.metadata.uid === pod.metadata.uid ? live : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Sends one claim; returns the pod on success, or a new attempt at the changed pod. */
  const send = async (attempt: Attempt, claim: Claim, options: Options): Promise<Pod | Attempt | undefined> => {
    const { pod, pool, number } = attempt
    const body = patchFor(pod, claim, number, clock.now())
    try {
      return await client.patch(podKind, pod.metadata, { type: 'merge', body }, options)
    } catch (error) {
      if (!isMoved(error)) throw error
      metrics.conflicted(claim.workload)
    }
    // A conflict can be the response to a retry of a request that had succeeded.
    const live = await look(pod, options)
    const isOurs = live !== undefined && isPodOf(live, claim.owner, claim.runId)
    if (!isOurs || numberIn(live, annotation.claim) !== number) ledger.release(pool, number)
    if (isOurs) return live
    return live && isClaimable(live) ? attemptAt(live) : undefined
  }

  /**
   * Tries to claim one pod until the outcome is certain; returns the pod, or undefined if it cannot be claimed. If it
   * throws, the outcome is unknown unless the server rejected the claim.
   */
  const settle = async (first: Attempt, claim: Claim, options: Options): Promise<Pod | undefined> => {
    const { runId } = claim
    let attempt = first
    for (let tries = 1; ; tries += 1) {
      let answer: Pod | Attempt | undefined
      try {
        answer = await send(attempt, claim, options)
      } catch (error) {
        if (!isRefusal(error)) doubtful.set(runId, attempt)
        else ledger.release(attempt.pool, attempt.number)
        throw error
      }
      doubtful.delete(runId)
      if (answer && 'metadata' in answer) {
        pods.wrote(answer)
        return answer
      }
      if (answer && tries < triesPerPod) {
        attempt = answer
        continue
      }
      if (answer) ledger.release(answer.pool, answer.number)
      if (answer && !isNewer(answer.pod, attempt.pod)) {
        // The pod is unchanged, so an earlier attempt that seemed lost may still be carried out.
        doubtful.set(runId, attempt)
        throw new Error(`The pod ${podKey(attempt.pod)} could not be claimed although it is unchanged.`)
      }
      reservations.release(first.pod)
      return undefined
    }
  }

  /** The pod that the run already has, as far as the cache shows. */
  const held = ({ owner, runId }: Claim): Pod | undefined =>
    pods.by('owner', owner.uid).find((pod) => isPodOf(pod, owner, runId) && isLive(podStateOf(pod)))

  const isCold = (runId: string): boolean => {
    const now = clock.monotonic()
    for (const [run, until] of cold) {
      if (until > now) break
      cold.delete(run)
    }
    return cold.has(runId)
  }

  const candidateFor = (
    { namespace, workload }: Pick<Claim, 'namespace' | 'workload'>,
    tried: ReadonlySet<string>,
  ): Pod | undefined =>
    pods
      .by('idle', idleKey(namespace, workload))
      .filter((pod) => !tried.has(pod.metadata.uid) && !reservations.isTaken(pod))
      .sort(byPreference)[0]

  /** Returns the pod of an earlier claim of the run. */
  const findEarlier = async (claim: Claim, options: Options): Promise<Pod | undefined> => {
    const before = held(claim)
    if (before) return before
    const inDoubt = doubtful.get(claim.runId)
    return inDoubt && (await settle(inDoubt, claim, options))
  }

  const find = async (claim: Claim, options: Options): Promise<Pod | undefined> => {
    const earlier = await findEarlier(claim, options)
    if (earlier || isCold(claim.runId)) return earlier
    const tried = new Set<string>()
    for (let pod = candidateFor(claim, tried); pod; pod = candidateFor(claim, tried)) {
      tried.add(pod.metadata.uid)
      const attempt = attemptAt(pod)
      if (!attempt) continue
      reservations.take(pod)
      const claimed = await settle(attempt, claim, options)
      if (claimed) return claimed
    }
    cold.set(claim.runId, clock.monotonic() + coldFor)
    return undefined
  }

  const serve = async (claim: Claim, options: Options): Promise<Pod | undefined> => {
    const started = clock.monotonic()
    const { granted } = demand.requested(claim)
    try {
      const pod = await find(claim, options)
      metrics.answered(claim.workload, pod ? 'warm' : 'cold', (clock.monotonic() - started) / 1_000)
      log.debug({ runId: claim.runId, pod: pod?.metadata.name }, pod ? 'claimed an idle worker' : 'no idle worker')
      return pod
    } finally {
      granted()
    }
  }

  const once = (runId: string, begin: () => Promise<Pod | undefined>): Promise<Pod | undefined> => {
    const made = pending.get(runId) ?? begin().finally(() => pending.delete(runId))
    pending.set(runId, made)
    return made
  }

  return {
    claim: (claim, signal) => once(claim.runId, () => serve(claim, signal ? { signal } : {})),
    settle: (claim, signal) => once(claim.runId, () => findEarlier(claim, signal ? { signal } : {})),
    isWaiting: (demandKey) => candidateFor(demandKey, new Set()) !== undefined,
    retryClaim: (runId) => void cold.delete(runId),
  }
}
