import type { Log } from '@trellis/kit/telemetry'
import { isLive, podStateOf } from '../runs/mod.ts'
import { type Client, type Clock, isNotFound, type Store } from '../runtime/mod.ts'
import { annotation, type Pod, pods as podKind } from '../workers/mod.ts'
import {
  type Attempt,
  byPreference,
  type Claim,
  isMoved,
  isNewer,
  isPodOf,
  isRefusal,
  isSame,
  patchFor,
} from './claim.ts'
import type { ClaimMetrics } from './claim-metrics.ts'
import type { Demand } from './demand.ts'
import { idleKey, isClaimable, numberIn, podKey, poolOf } from './idle-pods.ts'
import type { CountedPool, Ledger } from './ledger.ts'
import type { Reservations } from './reservations.ts'

export type Claims = {
  /**
   * Gives the run a pod that waits ready, as it is after the claim, or undefined where none does. Asked again for the same
   * run it gives the same pod, also before the cache shows the claim and where the answer to an earlier one was lost: that
   * claim is then settled before another pod is tried, so that a run never gets two. Who was told that none waits is told so
   * for the next two minutes: a pod may have been made instead that the cache does not show yet. It throws where the API
   * server cannot be reached or refuses; nothing may be started in the place of the claim then, as it may have been made.
   */
  claim: (claim: Claim, signal?: AbortSignal) => Promise<Pod | undefined>
  /**
   * Gives the pod of an earlier claim of the run, also of one whose answer was lost, and takes no other: before a pod is made in its
   * place. Throws as `claim` does.
   */
  settle: (claim: Claim, signal?: AbortSignal) => Promise<Pod | undefined>
  /** Whether a worker waits that a run could be given. */
  isWaiting: (demandKey: Pick<Claim, 'namespace' | 'workload'>) => boolean
  /** Lets a run that was told that no worker waits ask again. The caller has removed the pod that was made instead. */
  askAgain: (runId: string) => void
}

export type ClaimsOptions = {
  client: Client
  /** With the indexes of `poolIndexes`. */
  pods: Store<Pod>
  reservations: Reservations
  demand: Demand
  ledger: Ledger
  clock: Clock
  log: Log
  metrics: ClaimMetrics
}

/** How often one pod is tried that changes under our hands, by the probes of its node. */
const triesPerPod = 3

/** Milliseconds for which a run goes on without a waiting worker, once it was told that there is none. */
const coldFor = 120_000

type Options = { signal?: AbortSignal }

/** Hands out the pods that wait in pools. One of a process, for all kinds of runs. */
export const createClaims = (options: ClaimsOptions): Claims => {
  const { client, pods, reservations, demand, ledger, clock, log, metrics } = options
  /** What was claimed and the cache does not show yet, by the run's id. */
  const won = new Map<string, Pod>()
  /** Claims that may or may not have been made, by the run's id. */
  const doubtful = new Map<string, Attempt>()
  /** Claims that are being made, by the run's id: who asks again meanwhile gets the same answer. */
  const pending = new Map<string, Promise<Pod | undefined>>()
  /** Until when runs do without, by their ids; the first to lapse is first. */
  const cold = new Map<string, number>()

  pods.onChange(({ type, object }) => {
    for (const [run, pod] of won)
      if (isSame(pod, object) && (type === 'deleted' || !isNewer(pod, object))) won.delete(run)
    for (const [run, { pod, pool, number }] of doubtful) {
      // A claim names the version it was read at: once that is past, the claim was made, and shows, or never will be.
      if (!isSame(pod, object) || !(type === 'deleted' || isNewer(object, pod))) continue
      doubtful.delete(run)
      if (numberIn(object, annotation.claim) !== number) ledger.giveBack(pool, number)
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

  /** The pod as the server has it now; undefined where it has none. */
  const look = async (pod: Pod, options: Options): Promise<Pod | undefined> => {
    try {
      const live = await client.get(podKind, pod.metadata, options)
      return live.metadata.uid === pod.metadata.uid ? live : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Sends one claim; gives the pod where it was made, and an attempt at what the pod has become where it was not. */
  const send = async (attempt: Attempt, claim: Claim, options: Options): Promise<Pod | Attempt | undefined> => {
    const { pod, pool, number } = attempt
    const body = patchFor(pod, claim, number, clock.now())
    try {
      return await client.patch(podKind, pod.metadata, { type: 'merge', body }, options)
    } catch (error) {
      if (!isMoved(error)) throw error
      metrics.conflicted(claim.workload)
    }
    // A conflict can be the answer to a repetition of what had worked.
    const live = await look(pod, options)
    const isOurs = live !== undefined && isPodOf(live, claim.owner, claim.runId)
    if (!isOurs || numberIn(live, annotation.claim) !== number) ledger.giveBack(pool, number)
    if (isOurs) return live
    return live && isClaimable(live) ? attemptAt(live) : undefined
  }

  /**
   * Tries to claim one pod until that has certainly happened or certainly not; gives the pod, or undefined where it is not
   * to be had. What it throws leaves the claim in doubt, unless the server has refused it.
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
        else ledger.giveBack(attempt.pool, attempt.number)
        throw error
      }
      doubtful.delete(runId)
      if (answer && 'metadata' in answer) return remember(answer, runId)
      if (answer && tries < triesPerPod) {
        attempt = answer
        continue
      }
      if (answer) ledger.giveBack(answer.pool, answer.number)
      if (answer && !isNewer(answer.pod, attempt.pod)) {
        // No other has written it, so an earlier repetition that was thought lost may still be carried out.
        doubtful.set(runId, attempt)
        throw new Error(`The pod ${podKey(attempt.pod)} cannot be claimed, and nobody has changed it.`)
      }
      reservations.giveBack(first.pod)
      return undefined
    }
  }

  const remember = (claimed: Pod, run: string): Pod => {
    pods.wrote(claimed)
    // The event may have been faster than the answer.
    if (!pods.isCurrent(podKey(claimed))) won.set(run, claimed)
    return claimed
  }

  /** The pod that the run has already, as far as this process or its cache knows. */
  const held = ({ owner, runId }: Claim): Pod | undefined =>
    pods.by('owner', owner.uid).find((pod) => isPodOf(pod, owner, runId) && isLive(podStateOf(pod))) ?? won.get(runId)

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

  /** The pod that the run has by an earlier claim. */
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
      log.debug({ runId: claim.runId, pod: pod?.metadata.name }, pod ? 'claimed a worker' : 'no worker waits')
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
    askAgain: (runId) => void cold.delete(runId),
  }
}
