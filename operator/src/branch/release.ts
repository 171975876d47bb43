import { type Branch, branches } from '../crds/mod.ts'
import { done, hasFinalizer, isNotFound, type Result, refOf, removeFinalizer, requeueAfter } from '../runtime/mod.ts'
import { type Claim, claims, statefulSets } from './child-kinds.ts'
import { type BranchDependencies, childKey } from './dependencies.ts'
import { isOwnedBy } from './key.ts'
import { namesOf } from './names.ts'

export const finalizer = 'trellis.dev/cleanup'

/**
 * `true` retains the volume when its Branch is deleted; the next Branch of the same slug in the namespace reuses it.
 */
const keepVolumeAnnotation = 'trellis.dev/keep-volume'

/** The finalizer of Kubernetes on objects that are deleted with `--cascade=orphan`: their children are to remain. */
const orphanFinalizer = 'orphan'

/** Milliseconds until a StatefulSet that is being deleted is checked again, in case its deletion event is missed. */
const longestWait = 10_000

/**
 * The volume claims of replicas that were added to the StatefulSet by hand. They may hold acknowledged entries, so they
 * are retained as long as the Branch exists.
 */
const surplusClaims = (branch: Branch, volumes: BranchDependencies['claims']): Claim[] => {
  const { claim } = namesOf(branch)
  const replica = claim.replace(/0$/, '')
  return volumes.by('namespace', branch.metadata.namespace ?? 'default').filter(({ metadata: { name } }) => {
    const isReplica = name.startsWith(replica) && /^\d+$/.test(name.slice(replica.length))
    return isReplica && name !== claim
  })
}

/**
 * Cleans up a Branch that is being deleted. Its volume is the only child that garbage collection does not delete. The
 * StatefulSet must be gone first, since it would create the claim again.
 */
export const releaseBranch = async (
  branch: Branch,
  { client, statefulSets: sets, claims: volumes }: BranchDependencies,
  signal: AbortSignal,
): Promise<Result> => {
  if (!hasFinalizer(branch, finalizer)) return done
  if (hasFinalizer(branch, orphanFinalizer)) {
    await removeFinalizer(client, branches, branch, finalizer, { signal })
    return done
  }
  const names = namesOf(branch)
  const set = sets.get(childKey(branch, names.statefulSet))
  if (set && isOwnedBy(set, branch)) {
    if (set.metadata.deletionTimestamp === undefined) {
      const options = { signal, preconditions: { uid: set.metadata.uid }, propagationPolicy: 'Background' } as const
      await client.delete(statefulSets, set.metadata, options).catch(ignoreNotFound)
    }
    return requeueAfter(longestWait)
  }
  const isRetained = branch.metadata.annotations?.[keepVolumeAnnotation] === 'true'
  const refs = [refOf(childKey(branch, names.claim)), ...surplusClaims(branch, volumes).map(({ metadata }) => metadata)]
  if (!isRetained && !set) for (const ref of refs) await client.delete(claims, ref, { signal }).catch(ignoreNotFound)
  await removeFinalizer(client, branches, branch, finalizer, { signal })
  return done
}

const ignoreNotFound = (error: unknown) => {
  if (!isNotFound(error)) throw error
}
