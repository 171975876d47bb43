import type { Branch } from '../crds/mod.ts'
import { deterministicName } from '../runtime/mod.ts'
import { slugOf } from './slug.ts'

/** The names of a Branch's child objects. */
export type BranchNames = { statefulSet: string; service: string; secret: string; pod: string; claim: string }

/** The volume's name in the pod, from which a StatefulSet derives the names of its claims. */
export const volumeName = 'data'

/** Pods of a StatefulSet carry its name and a hash in a label, which is limited to 63 characters. */
const longestName = 45

/**
 * Derives the names from the namespace and the slug, not from the object: a recreated Branch finds the retained volume
 * of the former one.
 */
export const namesOf = (branch: Pick<Branch, 'spec' | 'metadata'>): BranchNames => {
  const name = deterministicName([`branch-${slugOf(branch)}`, branch.metadata.namespace ?? ''], longestName)
  return {
    statefulSet: name,
    service: name,
    secret: `${name}-key`,
    pod: `${name}-0`,
    claim: `${volumeName}-${name}-0`,
  }
}
