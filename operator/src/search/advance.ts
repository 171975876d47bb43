import { type Ending, firstSeenEnded, isLive, lookedAgain } from '../runs/mod.ts'
import { findOwned, keyOf, type Result, requeueAfter } from '../runtime/mod.ts'
import { pods as podKind } from '../workers/mod.ts'
import { begin } from './begin.ts'
import { type Decision, decide, type Worker } from './decide.ts'
import type { SearchDependencies, SearchRun } from './dependencies.ts'
import { canExchange, exchange } from './exchange.ts'

const workerOf = ({ clock }: SearchDependencies, { memory, found: { current } }: SearchRun): Worker | undefined => {
  if (!current) return undefined
  const { pod, state, isClaimed } = current
  const { uid, name } = pod.metadata
  const worker = { name, state, isClaimed }
  return isLive(state) ? worker : { ...worker, endedAt: firstSeenEnded(memory, uid, clock.now()) }
}

const judge = (dependencies: SearchDependencies, run: SearchRun): Decision => {
  const { object, facts, memory, found } = run
  const { allowedUsers, clock } = dependencies
  const worker = workerOf(dependencies, run)
  return decide({
    search: object,
    facts,
    allowedUsers,
    acceptedAt: memory.acceptedAt,
    quietUntil: memory.quietUntil,
    now: clock.now(),
    ...(worker ? { worker } : {}),
    ...(found.lost ? { lost: found.lost } : {}),
  })
}

/** Stops pods that may do the run besides its worker. */
const stopSurplus = async ({ steps, log }: SearchDependencies, run: SearchRun): Promise<void> => {
  const { object, runId, memory, found, signal } = run
  for (const pod of found.surplus) {
    const { uid, name } = pod.metadata
    await steps.stopPod(pod, signal)
    // Log only once: the pod remains until it has ended.
    if (!memory.surplus.has(uid))
      log.info({ runId, object: keyOf(object.metadata), pod: name }, 'repair: a second worker of a run is ended')
    memory.surplus.add(uid)
  }
}

/** Whether a pod that seems gone still exists on the server: the cache may lag. */
const isThereAfterAll = async (
  { client, ownPods }: SearchDependencies,
  { object, found: { missing }, signal }: SearchRun,
): Promise<boolean> => {
  if (missing === undefined) return false
  const { namespace = 'default', uid } = object.metadata
  const pod = await findOwned(client, podKind, { name: missing, namespace }, object, { signal })
  if (pod) ownPods.note(uid, pod)
  return pod !== undefined
}

const wait = async (
  dependencies: SearchDependencies,
  run: SearchRun,
  { desiredStatus, milliseconds }: Extract<Decision, { kind: 'wait' }>,
): Promise<Result> => {
  const { steps } = dependencies
  const { current } = run.found
  if (canExchange(dependencies, run)) return exchange(dependencies, run)
  if (desiredStatus) await steps.settle(run, desiredStatus)
  else steps.acknowledge(run)
  const untilPlanRequested = current ? await steps.requestPlan(run) : undefined
  const longest = current?.state.kind === 'unscheduled' ? lookedAgain : Number.POSITIVE_INFINITY
  return requeueAfter(Math.min(milliseconds, longest, untilPlanRequested ?? Number.POSITIVE_INFINITY))
}

/** Brings an unfinished Search closer to its end. */
export const advance = async (dependencies: SearchDependencies, run: SearchRun): Promise<Result | Ending> => {
  await stopSurplus(dependencies, run)
  if (run.found.current) await dependencies.steps.assign(run, run.found.current.pod)
  const decision = judge(dependencies, run)
  const restsOnLoss = decision.kind === 'obtain' || (decision.kind === 'end' && decision.isLoss)
  if (restsOnLoss && (await isThereAfterAll(dependencies, run))) return requeueAfter(0)
  switch (decision.kind) {
    case 'end':
      return decision
    case 'obtain':
      return begin(dependencies, run, decision)
    case 'wait':
      return wait(dependencies, run, decision)
  }
}
