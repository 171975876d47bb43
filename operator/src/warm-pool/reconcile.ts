import type { Log } from '@trellis/kit/telemetry'
import { type WarmPool, warmPools } from '../crds/mod.ts'
import { isPaused, statusChanges } from '../runs/mod.ts'
import {
  type Client,
  type Clock,
  conditionOf,
  createExpectations,
  done,
  isBeingDeleted,
  type KubeObject,
  keyOf,
  type Reconcile,
  type Recorder,
  refOf,
  requeueAfter,
  type Store,
} from '../runtime/mod.ts'
import type { Pod, Workload } from '../workers/mod.ts'
import type { Demand } from './demand.ts'
import { poolOf } from './idle-pods.ts'
import type { Ledger } from './ledger.ts'
import { createLosses } from './losses.ts'
import { isLiveMember, type Member, memberOf } from './member.ts'
import { type Plan, planPool } from './plan.ts'
import { type Blueprint, selectorOf } from './pool-pod.ts'
import { createPoolRequests } from './pool-requests.ts'
import { type DesiredStatus, desiredStatusOf, type PoolFacts, poolStatus } from './pool-status.ts'
import type { Reservations } from './reservations.ts'
import { restingReason, restOf, wasResting } from './rest.ts'
import { createSlots } from './slots.ts'

export type PoolDependencies = {
  client: Client
  recorder: Recorder
  pools: Store<WarmPool>
  /** A cache with `poolIndexes`. */
  pods: Store<Pod>
  blueprints: Readonly<Record<Workload, Blueprint>>
  reservations: Reservations
  demand: Demand
  ledger: Ledger
  clock: Clock
  log: Log
}

/** Minimum interval between status writes while runs claim, in milliseconds. */
const statusInterval = 1_000

/** Milliseconds after which a rejected pod is requested again. */
const refusedFor = 15_000

/** Milliseconds after which a pod that was claimed or changed during its deletion is checked again. */
const contendedFor = 1_000

/** The shortest of several delays in milliseconds, some of which may be undefined. */
const soonest = (...waits: readonly (number | undefined)[]): number | undefined => {
  const present = waits.filter((wait) => wait !== undefined)
  return present.length === 0 ? undefined : Math.min(...present)
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? ''

/** Maintains the desired number of idle workers of a pool: never more, and eventually no fewer. */
export const reconcileWarmPool = (dependencies: PoolDependencies): Reconcile => {
  const { client, recorder, pools, pods, blueprints, reservations, demand, ledger, clock, log } = dependencies
  const expectations = createExpectations({ clock })
  const slots = createSlots({ pods, clock })
  const losses = createLosses({ pods })
  const requests = createPoolRequests({ client, pods, expectations, reservations, slots })
  /** The spec generation of each pool that this process has seen, and since when, by the pool's key. */
  const seen = new Map<string, { uid: string; generation: number; since: number }>()
  /** When the status of a pool was last written, on the monotonic clock. */
  const written = new Map<string, number>()
  pods.onChange(expectations.observe)

  const drop = (key: string) => {
    const held = seen.get(key)
    if (held) {
      ledger.drop(held.uid)
      slots.drop(held.uid)
      losses.drop(held.uid)
    }
    expectations.drop(key)
    seen.delete(key)
    written.delete(key)
  }

  const seenSince = (key: string, { metadata }: WarmPool): number => {
    const held = seen.get(key)
    const generation = metadata.generation ?? 1
    if (held && held.uid !== metadata.uid) drop(key)
    if (held?.uid === metadata.uid && held.generation === generation) return held.since
    const since = clock.now()
    seen.set(key, { uid: metadata.uid, generation, since })
    return since
  }

  const membersOf = (pool: WarmPool, { hash }: Blueprint): Member[] =>
    pods
      .by('owner', pool.metadata.uid)
      .filter((pod) => poolOf(pod)?.uid === pool.metadata.uid)
      .map((pod) => memberOf(pod, { hash, isReserved: reservations.isTaken(pod) }))

  /** Logs each lost worker that the plan has replaced. */
  const logReplacements = ({ metadata, spec: { workload } }: WarmPool, { create }: Plan) => {
    for (const { pod, because } of losses.take(metadata.uid, create.length))
      log.info({ workload, object: keyOf(metadata), pod, because }, 'repair: a lost idle worker is replaced')
  }

  /** Executes the plan; returns the number of requests, and the API server's message if it rejected a pod. */
  const carryOut = async (pool: WarmPool, plan: Plan, places: number) => {
    const blueprint = blueprints[pool.spec.workload]
    for (const { pod } of plan.remove) losses.removing(pod)
    const chosen = slots.choose(pool, plan.create.length, places)
    const outcomes = await Promise.allSettled([
      ...chosen.map((slot, at) => requests.create(pool, { slot, attempt: plan.create[at] ?? 0 }, blueprint)),
      ...plan.remove.map(({ pod }) => requests.remove(pool, pod)),
    ])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    const refusal = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value) || [])[0]
    return { deeds: outcomes.length, refusal }
  }

  /** Records an event when a pool stalls or starts to rest. */
  const announce = (pool: WarmPool, { progress, reason, message }: DesiredStatus) => {
    const before = conditionOf(pool.status.conditions, 'Ready')
    const isNewReason = before?.reason !== reason
    if (isNewReason && progress === 'stalled')
      recorder.record(warmPools, pool, { type: 'Warning', reason, action: 'Refill', note: message })
    if (isNewReason && reason === restingReason)
      recorder.record(warmPools, pool, { type: 'Normal', reason, action: 'Rest', note: message })
  }

  /** Writes the status if it changed; returns the milliseconds to wait if it is too soon. */
  const writeStatus = async (
    key: string,
    pool: WarmPool,
    facts: PoolFacts,
    isBusy: boolean,
  ): Promise<number | undefined> => {
    const status = statusChanges(pool.status, poolStatus(pool, selectorOf(pool), facts))
    if (!status) return undefined
    const since = clock.monotonic() - (written.get(key) ?? Number.NEGATIVE_INFINITY)
    if (isBusy && since < statusInterval) return statusInterval - since
    const answer = await client.patch(
      warmPools,
      refOf(key),
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    )
    pools.wrote(answer)
    written.set(key, clock.monotonic())
    announce(pool, desiredStatusOf(facts))
    return undefined
  }

  return async (key) => {
    const pool = pools.get(key)
    if (!pool) {
      drop(key)
      return done
    }
    if (isBeingDeleted(pool) || isPaused(pool)) return done
    if (!expectations.fulfilled(key)) return requeueAfter(expectations.expiresIn(key))

    const { uid } = pool.metadata
    const demandKey = { namespace: namespaceOf(pool), workload: pool.spec.workload }
    const now = clock.now()
    const quietIn = demand.quietIn(demandKey)
    const members = membersOf(pool, blueprints[pool.spec.workload])
    const lastRequested = demand.lastRequested(demandKey)
    const origin = pods.by('origin', uid)
    const rest = restOf({ pool, origin, lastRequested, seenSince: seenSince(key, pool), now })
    const desired = rest.isResting ? 0 : pool.spec.replicas

    const plan = planPool(members, { desired, quietIn, now })
    losses.watch(uid, members)
    const places = desired - members.filter(isLiveMember).length
    if (places <= 0) losses.settled(uid)
    const { deeds, refusal } = await carryOut(pool, plan, places)
    if (refusal === undefined) logReplacements(pool, plan)
    const restsIn = rest.isResting ? undefined : rest.restsIn
    // These writes come back as changes of the pods; the status is written then.
    if (deeds > 0 && refusal === undefined)
      return requeueAfter(soonest(contendedFor, plan.lookAgainIn, restsIn) ?? contendedFor)

    const claimed = ledger.count(pool.metadata)
    const facts = { members, desired, isResting: rest.isResting, claimed, refusal, now }
    const writtenIn = await writeStatus(key, pool, facts, quietIn > 0)
    const next = soonest(plan.lookAgainIn, restsIn, writtenIn, refusal === undefined ? undefined : refusedFor)
    return next === undefined ? done : requeueAfter(next)
  }
}

/** The pools that a request wakes: the resting ones of its workload. */
export const restingPools = (
  pools: Store<WarmPool>,
  { namespace, workload }: { namespace: string; workload: Workload },
): string[] =>
  pools
    .by('namespace', namespace)
    .filter((pool) => pool.spec.workload === workload && wasResting(pool))
    .map(({ metadata }) => keyOf(metadata))
