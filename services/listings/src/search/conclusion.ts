import { type ServiceError, toServiceError } from '@trellis/kit/errors'
import { publishConclusion } from '@trellis/kit/workloads'
import type { RunFailed } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { Dependencies } from '../dependencies.ts'
import { RunError } from '../runs/marketplace-run.ts'

/** What a search came to, for the object that shows it. */
export type Findings = {
  readonly listingsFound: number
  /** The median of completed sales; null where there are too few. */
  readonly marketPrice: number | null
}

/** The worker's words for having been turned away: whichever way, the marketplace refused. */
const refusals: readonly string[] = ['MarketplaceRefused', 'ForbiddenByRobots', 'BreakerOpen']

const reasonOf = (failed: ServiceError): string => {
  const word = failed instanceof RunError ? failed.reason : undefined
  return word === undefined ? 'Failed' : refusals.includes(word) ? 'MarketplaceRefused' : word
}

/** Why a search came to nothing, in a word and a sentence; the word is the run's own unless another is given. */
export const failureOf = (error: unknown, reason?: string): RunFailed => {
  const failed = toServiceError(error)
  return {
    reason: reason ?? reasonOf(failed),
    detail: failed.message,
    kind: failed.kind,
    retryAfterSeconds: failed.retryAfterSeconds,
  }
}

/** Tells the operator what a run came to, where runs are objects. Throws `unavailable` where it cannot be told. */
export const announce = async (
  { bus, runsAreObjects }: Pick<Dependencies, 'bus' | 'runsAreObjects'>,
  runId: string,
  outcome: Findings | { readonly failure: RunFailed },
): Promise<void> => {
  if (runsAreObjects) await publishConclusion(bus, runId, { failure: null, ...outcome })
}
