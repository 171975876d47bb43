import type { Branch } from '../crds/mod.ts'
import { deterministicName } from '../runtime/mod.ts'
import { slugOf } from './slug.ts'

/** What belongs to a Branch is called. */
export type BranchNames = { statefulSet: string; service: string; secret: string; pod: string; claim: string }

/** The volume in the pod, after which a StatefulSet names its claims. */
export const volumeName = 'data'

/** A StatefulSet's pods carry its name and a hash in a label, which takes 63 characters. */
const longestName = 45

/**
 * The names follow from the namespace and the slug, not from the object: a Branch that is made again, with the volume of
 * the former one kept, finds it.
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
