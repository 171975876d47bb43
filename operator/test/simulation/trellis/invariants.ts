import { generationJobs, type Search, searches, type WarmPool, warmPools } from '../../../src/crds/mod.ts'
import { type BatchJob, batchJobs, queueOf } from '../../../src/generation-job/batch-job.ts'
import type { RunObject } from '../../../src/runs/mod.ts'
import { failureCondition, isFinished, isLive, podStateOf } from '../../../src/runs/mod.ts'
import {
  conditionOf,
  controllerOf,
  type KubeObject,
  leases,
  type OwnerReference,
  type Resource,
} from '../../../src/runtime/mod.ts'
import { label, type Pod, pods } from '../../../src/workers/mod.ts'
import type { Commit, Simulation } from '../mod.ts'
import { maxRuns } from './simulated-operator.ts'

type Ended = { phase: string; reason: string | undefined; run: string | undefined }

/** Invariants that must hold at every commit. */
export type Invariants = {
  /** Messages of the first few violations. */
  broken: readonly string[]
  /**
   * Violations that a request can cause if it is executed half a minute after its sender has timed out or died, and that no client
   * can prevent: too many live pods or Jobs, writes by a former leader. Without such late requests the list must be empty.
   */
  excess: readonly string[]
  /** Committed claims by the uid of the pool. */
  claims: ReadonlyMap<string, number>
  /**
   * The final state of runs deleted by something other than the user, by object name. `reason` is set for failed runs. `run` is the
   * last run of a Search: a Search that was suspended and resumed had others before.
   */
  ended: ReadonlyMap<string, Ended>
}

/** Milliseconds for which a pool may still be filled to a former `replicas`. */
const formerReplicasAllowed = 120_000

/** The kinds to which a pool hands over its pods. */
const runKinds = ['Search', 'GenerationJob']
const isRun = ({ plural }: { plural: string }) => plural === searches.plural || plural === generationJobs.plural

const hasFinished = ({ status }: BatchJob) =>
  status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') === true

/** Checks the invariants at each commit of a simulation. Objects with names in `mustStayAway` must not be created. */
export const watchInvariants = ({ storage, clock }: Simulation, mustStayAway: ReadonlySet<string>): Invariants => {
  const broken: string[] = []
  const excess: string[] = []
  const claims = new Map<string, number>()
  const ended = new Map<string, Ended>()
  /** The values of `replicas` that each pool had and until when they are allowed, by uid. */
  const allowances = new Map<string, { replicas: number; until: number }[]>()
  const controllers = new Map<string, { uid: string; kind: string }>()
  /** The uids of suspended objects by the run that a service had requested. */
  const suspended = new Map<string, string>()

  const must = (holds: boolean, what: () => string, list = broken) => {
    if (!holds && list.length < 5) list.push(`${what()} at ${clock.monotonic()} ms`)
  }

  const noteReplicas = (pool: WarmPool) => {
    const now = clock.monotonic()
    const before = (allowances.get(pool.metadata.uid) ?? []).filter(({ until }) => until > now)
    const last = before.at(-1)
    if (last?.replicas === pool.spec.replicas && last.until === Number.POSITIVE_INFINITY) return
    if (last) last.until = now + formerReplicasAllowed
    allowances.set(pool.metadata.uid, [...before, { replicas: pool.spec.replicas, until: Number.POSITIVE_INFINITY }])
  }

  const allowed = (uid: string): number => {
    const now = clock.monotonic()
    return Math.max(
      0,
      ...(allowances.get(uid) ?? []).filter(({ until }) => until > now).map(({ replicas }) => replicas),
    )
  }

  /** The run or pool that ultimately owns a pod: for the pods of a Job, the run that owns the Job. */
  const masterOf = (object: KubeObject): OwnerReference | undefined => {
    const controller = controllerOf(object)
    if (controller?.kind !== 'Job') return controller
    const job = storage.list(batchJobs).find(({ metadata }) => metadata.uid === controller.uid)
    return job && controllerOf(job)
  }

  const countLive = (uid: string): number =>
    storage.list(pods).filter((pod) => isLive(podStateOf(pod)) && masterOf(pod)?.uid === uid).length

  const look = (pod: Pod) => {
    const { uid, name } = pod.metadata
    const before = controllers.get(uid)
    const controller = controllerOf(pod)
    if (!controller || before?.uid === controller.uid) return
    controllers.set(uid, controller)
    if (before) {
      must(before.kind === 'WarmPool', () => `${name} went from the run ${before.uid} to ${controller.uid}`)
      must(runKinds.includes(controller.kind), () => `${name} went to a ${controller.kind}`)
      if (before.kind === 'WarmPool') claims.set(before.uid, (claims.get(before.uid) ?? 0) + 1)
    }
    const master = masterOf(pod)
    if (!master) return
    const live = countLive(master.uid)
    const max = master.kind === 'WarmPool' ? allowed(master.uid) : 1
    must(live <= max, () => `${master.kind} ${master.name} has ${live} live pods, and may have ${max}`, excess)
    if (runKinds.includes(master.kind)) lookAtRunLimit(master)
  }

  /** Number of unfinished runs of a kind with workers, without those that a Kueue queue schedules. */
  const countBusy = (kind: Resource) =>
    storage
      .list(kind as Resource<RunObject>)
      .filter((run) => !isFinished(run) && queueOf(run) === undefined && countLive(run.metadata.uid) > 0).length

  const lookAtRunLimit = ({ kind }: OwnerReference) => {
    const busy = countBusy(kind === 'Search' ? searches : generationJobs)
    must(busy <= maxRuns, () => `${busy} runs of kind ${kind} have workers`, excess)
  }

  const lookAtJob = (job: BatchJob) => {
    const run = controllerOf(job)
    const jobs = storage
      .list(batchJobs)
      .filter((other) => controllerOf(other)?.uid === run?.uid && !hasFinished(other)).length
    must(jobs <= 1, () => `${run?.name} has ${jobs} Jobs`, excess)
  }

  /**
   * A suspension must not end an object: resuming it starts another run. Only if a user deletes the suspended object before its service
   * reads that the run has ended does the service request the run again: the new object ends as its run did.
   */
  const lookAtEnd = ({ metadata, status }: RunObject) => {
    const run = metadata.labels?.[label.runId]
    const reason = failureCondition({ status })?.reason
    const former = run === undefined ? undefined : suspended.get(run)
    const isAgain = former !== undefined && former !== metadata.uid
    must(reason !== 'Suspended' || isAgain, () => `${metadata.name} failed as Suspended`)
    const isSuspended = conditionOf(status.conditions, 'Ready')?.reason === 'Suspended'
    if (run !== undefined && isSuspended && !isAgain) suspended.set(run, metadata.uid)
  }

  /** Only the leader writes, except for leases and for runs that any replica creates at a service's request. */
  const lookAtWriter = ({ type, resource, by }: Commit) => {
    const isOpenToAll = resource.plural === leases.plural || (type === 'ADDED' && isRun(resource))
    if (!by.startsWith('operator') || isOpenToAll) return
    const holder = storage.list(leases)[0]?.spec?.holderIdentity
    must(holder === by, () => `${by} wrote ${resource.plural} while ${holder} led`, excess)
  }

  storage.onCommit((commit) => {
    const { type, resource, object, by } = commit
    lookAtWriter(commit)
    if (resource.plural === warmPools.plural && type !== 'DELETED') noteReplicas(object as WarmPool)
    if (resource.plural === pods.plural && type !== 'DELETED') look(object as Pod)
    if (resource.plural === batchJobs.plural && type === 'ADDED') lookAtJob(object as BatchJob)
    if (type === 'MODIFIED' && isRun(resource)) lookAtEnd(object as RunObject)
    if (type === 'ADDED' && isRun(resource))
      must(!mustStayAway.has(object.metadata.name), () => `${object.metadata.name} was made again`, excess)
    if (isRun(resource) && type === 'DELETED' && by !== '') {
      const { metadata, status } = object as RunObject
      const run = (object as Search).status.sessionId
      ended.set(metadata.name, { phase: status.phase ?? 'none', reason: failureCondition({ status })?.reason, run })
    }
  })

  return { broken, excess, claims, ended }
}
