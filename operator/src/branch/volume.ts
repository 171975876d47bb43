import type { Branch } from '../crds/mod.ts'
import { ApiError, isConflict, isNotFound, type RequestOptions } from '../runtime/mod.ts'
import { type Claim, claims } from './child-kinds.ts'
import type { BranchDependencies } from './dependencies.ts'
import { amountOf } from './quantity.ts'
import type { VolumeGrowth } from './status.ts'

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  !isConflict(error) &&
  !isNotFound(error) &&
  error.status !== 429

/** The conditions of a claim that explain why an expansion failed. */
const expansionErrors = new Set(['ControllerResizeError', 'NodeResizeError'])

/** Why the storage back end cannot expand the volume; undefined while it proceeds or is retried. */
const failedExpansion = ({ status }: Claim): string | undefined => {
  const state = status?.allocatedResourceStatuses?.storage
  if (state !== 'ControllerResizeInfeasible' && state !== 'NodeResizeInfeasible') return undefined
  return status?.conditions?.find(({ type }) => expansionErrors.has(type))?.message || `its expansion failed (${state})`
}

/**
 * Grows the volume of a Branch to the desired size; never shrinks it. If the storage class does not allow growth, the
 * server rejects it; if its back end is not capable of it, the claim's status shows that. Only the growth is affected.
 */
export const growVolume = async (
  branch: Branch,
  claim: Claim | undefined,
  { client }: Pick<BranchDependencies, 'client'>,
  options: RequestOptions,
): Promise<VolumeGrowth> => {
  const desired = amountOf(branch.spec.storage)
  const requested = claim?.spec?.resources?.requests?.storage
  // An unbound claim cannot be resized; its event triggers another reconcile.
  if (!claim || requested === undefined || claim.status?.phase !== 'Bound') return { kind: 'fits' }
  if (desired > amountOf(requested)) {
    const body = { spec: { resources: { requests: { storage: String(branch.spec.storage) } } } }
    try {
      await client.patch(claims, claim.metadata, { type: 'merge', body }, options)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return { kind: 'refused', message: error.message }
    }
    return { kind: 'growing' }
  }
  const capacity = claim.status?.capacity?.storage
  if (capacity === undefined || amountOf(capacity) >= desired) return { kind: 'fits' }
  const message = failedExpansion(claim)
  return message === undefined ? { kind: 'growing' } : { kind: 'refused', message }
}
