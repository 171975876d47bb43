import { type ServiceError, toServiceError } from '@trellis/kit/errors'
import { publishConclusion } from '@trellis/kit/workloads'
import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Dependencies } from '../dependencies.ts'
import { RunError } from '../runs/marketplace-run.ts'

/** Result of a search, shown on its object. */
export type Findings = {
  readonly listingsFound: number
  /** The median of completed sales; null if there are too few. */
  readonly marketPrice: number | null
}

/** Reasons of workers that all mean that the marketplace refused. */
const refusals: readonly string[] = ['MarketplaceRefused', 'ForbiddenByRobots', 'BreakerOpen']

const reasonOf = (failed: ServiceError): string => {
  const word = failed instanceof RunError ? failed.reason : undefined
  return word === undefined ? 'Failed' : refusals.includes(word) ? 'MarketplaceRefused' : word
}

/** Why a search failed, as a reason and a sentence; the reason is that of the run unless it is overridden. */
export const failureOf = (error: unknown, reason?: string): RunFailed => {
  const failed = toServiceError(error, 'run')
  return {
    reason: reason ?? reasonOf(failed),
    detail: failed.message,
    kind: failed.kind,
    retryAfterSeconds: failed.retryAfterSeconds,
  }
}

/** Publishes the outcome of a run to the operator, where runs are objects. Throws `unavailable` if it cannot. */
export const announce = async (
  { bus, runsAreObjects }: Pick<Dependencies, 'bus' | 'runsAreObjects'>,
  runId: string,
  outcome: Findings | { readonly failure: RunFailed },
): Promise<void> => {
  if (runsAreObjects) await publishConclusion(bus, runId, { failure: null, ...outcome })
}
