import { type WarmPool, warmPools } from '../../../src/crds/mod.ts'
import { batchJobs } from '../../../src/generation-job/batch-job.ts'
import type { RunObject } from '../../../src/rpc/workload-runs.ts'
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

/** Failures that a run cannot have whose worker was heard to be done. */
const forWantOfWord = ['NoReport', 'WorkerLost', 'Evicted']

/** Whether nothing is left of what was asked for, and the pools are as they are wished to be. */
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

/** What there is, for people who have to find out why. */
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

/** What became of the runs, and what is wrong with how it ended. */
export const judge = (
  simulation: Simulation,
  { user, invariants, atRest, operators }: { user: User; invariants: Invariants; atRest: boolean; operators: number },
): { wrong: string[]; phases: Record<string, number>; claims: number } => {
  const { storage } = simulation
  const wrong: string[] = []
  if (!atRest) wrong.push(`it did not come to rest: ${describe(simulation, user)}`)
  let claims = 0
  for (const { metadata, status } of storage.list(warmPools)) {
    const claimed = invariants.claims.get(metadata.uid) ?? 0
    const counted = status.claimed ?? 0
    claims += claimed
    // One that ends may have had no time to write it down.
    if (operators === 1 && counted < claimed) wrong.push(`${claimed} were claimed, and ${counted} were counted`)
  }
  const phases: Record<string, number> = {}
  for (const { name, run, by } of user.requested) {
    const end = run === undefined ? undefined : by?.ends.get(run)?.$case
    const ended = invariants.ended.get(name)
    const phase = ended?.phase ?? (user.deleted.has(name) || end === 'failed' ? 'gone' : 'there')
    phases[phase] = (phases[phase] ?? 0) + 1
    if (!['Complete', 'Failed', 'gone'].includes(phase)) wrong.push(`${name} went while it was ${phase}`)
    // A Search whose first run was done before it was suspended has another one once it is resumed.
    const isOfRun = ended?.run === undefined || ended.run === run
    if (end === 'completed' && isOfRun && forWantOfWord.includes(ended?.reason ?? ''))
      wrong.push(`${name} was done, and failed as ${ended?.reason}`)
  }
  return { wrong, phases, claims }
}
