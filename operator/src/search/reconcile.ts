import type { Search } from '../crds/mod.ts'
import { firstSeenEnded, isFinished, isLive, isPaused, lookedAgain, runIdOf, unlessOvertaken } from '../runs/mod.ts'
import { done, isBeingDeleted, keyOf, type Reconcile, type Result, requeueAfter } from '../runtime/mod.ts'
import { assign, begin, order } from './begin.ts'
import { type Decision, decide, type Worker } from './decide.ts'
import type { SearchDependencies } from './dependencies.ts'
import { canExchange, exchange } from './exchange.ts'
import { end, expire, suspend } from './finish.ts'
import { acknowledge, type Run, settle } from './run.ts'
import { survey } from './survey.ts'
import { findPod, stopPod } from './writes.ts'

const workerOf = ({ clock }: SearchDependencies, { memory, pods: { current } }: Run): Worker | undefined => {
  if (!current) return undefined
  const { pod, state, isClaimed } = current
  const { uid, name } = pod.metadata
  const worker = { name, state, isClaimed }
  return isLive(state) ? worker : { ...worker, endedAt: firstSeenEnded(memory, uid, clock.now()) }
}

const judge = (dependencies: SearchDependencies, run: Run): Decision => {
  const { search, facts, memory, pods } = run
  const { allowedUsers = [] } = dependencies
  const worker = workerOf(dependencies, run)
  return decide({
    search,
    facts,
    allowedUsers,
    acceptedAt: memory.acceptedAt,
    now: dependencies.clock.now(),
    ...(worker ? { worker } : {}),
    ...(pods.lost ? { lost: pods.lost } : {}),
  })
}

/** Whether a pod that seems gone still exists on the server: the cache may lag. */
const isThereAfterAll = async (dependencies: SearchDependencies, { search, pods, signal }: Run): Promise<boolean> => {
  const pod = pods.missing === undefined ? undefined : await findPod(dependencies, search, pods.missing, signal)
  if (pod) dependencies.ownPods.note(search.metadata.uid, pod)
  return pod !== undefined
}

const advance = async (dependencies: SearchDependencies, search: Search, signal: AbortSignal): Promise<Result> => {
  const { memories, events, ownPods } = dependencies
  const runId = runIdOf(search)
  const pods = survey(search, runId, ownPods.of(search.metadata.uid))
  const run: Run = { search, runId, memory: memories.of(search, runId), pods, facts: events.factsOf(runId), signal }
  for (const pod of pods.surplus) {
    const { uid, name } = pod.metadata
    await stopPod(dependencies, pod, signal)
    // Log only once: the pod remains until it has ended.
    if (!run.memory.surplus.has(uid))
      dependencies.log.info(
        { runId, object: keyOf(search.metadata), pod: name },
        'repair: a second worker of a run is ended',
      )
    run.memory.surplus.add(uid)
  }
  if (pods.current) await assign(dependencies, run, pods.current.pod)
  const decision = judge(dependencies, run)
  const restsOnLoss = decision.kind === 'obtain' || (decision.kind === 'end' && decision.isLoss)
  if (restsOnLoss && (await isThereAfterAll(dependencies, run))) return requeueAfter(0)
  switch (decision.kind) {
    case 'end':
      return end(dependencies, run, decision)
    case 'obtain':
      return begin(dependencies, run, decision)
    case 'wait': {
      if (canExchange(dependencies, run)) return exchange(dependencies, run)
      if (decision.desiredStatus) await settle(dependencies, run, decision.desiredStatus)
      else acknowledge(dependencies, run, search.status)
      const untilPlanRequested = pods.current ? await order(dependencies, run) : undefined
      const isUnscheduled = pods.current?.state.kind === 'unscheduled'
      const longest = isUnscheduled ? lookedAgain : Number.POSITIVE_INFINITY
      return requeueAfter(Math.min(decision.milliseconds, longest, untilPlanRequested ?? Number.POSITIVE_INFINITY))
    }
  }
}

/** Reconciles a Search: runs it, finishes it, and removes it after its time to live. */
export const reconcileSearch =
  (dependencies: SearchDependencies): Reconcile =>
  async (key, { signal }) => {
    const search = dependencies.searches.get(key)
    // The deletion handler in `attendRuns` reports its end.
    if (!search || isBeingDeleted(search)) return done
    if (isPaused(search)) {
      const { uid } = search.metadata
      dependencies.limiter.leave(uid, dependencies.ownPods.hasLive(uid))
      return done
    }
    // The cache lags behind our last write; its update triggers another reconcile.
    if (!dependencies.searches.isCurrent(key)) return done
    const next = isFinished(search) ? expire : search.spec.suspend ? suspend : advance
    return unlessOvertaken(() => next(dependencies, search, signal))
  }
