import { type WarmPool, warmPools } from '../../../src/crds/mod.ts'
import { batchJobs } from '../../../src/generation-job/batch-job.ts'
import type { RunObject } from '../../../src/runs/mod.ts'
import { isLive, podStateOf } from '../../../src/runs/mod.ts'
import { conditionOf, controllerOf, type Resource } from '../../../src/runtime/mod.ts'
import { pods } from '../../../src/workers/mod.ts'
import type { Simulation } from '../mod.ts'
import type { Invariants } from './invariants.ts'
import type { User } from './user.ts'

const isFilled = ({ status, spec }: WarmPool): boolean =>
  status.readyReplicas === spec.replicas &&
  status.replicas === spec.replicas &&
  conditionOf(status.conditions, 'Ready')?.status === 'True'

/** Failure reasons that are impossible for a run whose worker reported completion. */
const missingReportReasons = ['NoReport', 'WorkerLost', 'Evicted']

/** Whether no requested run is left and the pools match their spec. */
export const isAtRest = ({ storage }: Simulation, { requested }: User): boolean => {
  const pools = storage.list(warmPools)
  return (
    requested.every(({ resource }) => storage.list(resource).length === 0) &&
    requested.every(({ run, by }) => run === undefined || by?.ends.get(run) !== undefined) &&
    storage.list(batchJobs).length === 0 &&
    pools.every(isFilled) &&
    storage.list(pods).length === pools.reduce((sum, { spec }) => sum + spec.replicas, 0)
  )
}

/** The remaining objects, for debugging. */
const describe = ({ storage }: Simulation, { requested }: User): string =>
  JSON.stringify({
    runs: [...new Set(requested.map(({ resource }) => resource))].flatMap((resource) =>
      storage.list(resource as Resource<RunObject>).map(({ metadata, status }) => ({ name: metadata.name, status })),
    ),
    services: requested.flatMap(({ run, by }) => (run !== undefined && by?.ends.get(run) === undefined ? [run] : [])),
    jobs: storage.list(batchJobs).map(({ metadata, status }) => ({ name: metadata.name, status })),
    pods: storage
      .list(pods)
      .map((pod) => `${pod.metadata.name} of ${controllerOf(pod)?.name}: ${isLive(podStateOf(pod)) ? 'live' : 'dead'}`),
    pools: storage.list(warmPools).map(({ spec, status }) => ({ spec, status })),
  })

/** Counts how the runs ended, and lists what is wrong with the final state. */
export const judge = (
  simulation: Simulation,
  { user, invariants, atRest, operators }: { user: User; invariants: Invariants; atRest: boolean; operators: number },
): { wrong: string[]; phases: Record<string, number>; claims: number } => {
  const { storage } = simulation
  const wrong: string[] = []
  if (!atRest) wrong.push(`the cluster did not converge: ${describe(simulation, user)}`)
  let claims = 0
  for (const { metadata, status } of storage.list(warmPools)) {
    const claimed = invariants.claims.get(metadata.uid) ?? 0
    const counted = status.claimed ?? 0
    claims += claimed
    // A replica that was killed may not have written its last count.
    if (operators === 1 && counted < claimed) wrong.push(`${claimed} were claimed, and ${counted} were counted`)
  }
  const phases: Record<string, number> = {}
  for (const { name, run, by } of user.requested) {
    const end = run === undefined ? undefined : by?.ends.get(run)?.$case
    const ended = invariants.ended.get(name)
    const phase = ended?.phase ?? (user.deleted.has(name) || end === 'failed' ? 'gone' : 'there')
    phases[phase] = (phases[phase] ?? 0) + 1
    if (!['Complete', 'Failed', 'gone'].includes(phase)) wrong.push(`${name} went while it was ${phase}`)
    // A Search that was suspended after its first run completed has another run once it is resumed.
    const isOfRun = ended?.run === undefined || ended.run === run
    if (end === 'completed' && isOfRun && missingReportReasons.includes(ended?.reason ?? ''))
      wrong.push(`${name} completed, but failed as ${ended?.reason}`)
  }
  return { wrong, phases, claims }
}
