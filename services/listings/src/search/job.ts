import { jsonCodec, queue } from '@trellis/kit/bus'
import type { Tier } from '@trellis/kit/rpc'
import type { SearchRequest } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'

/** How a search returns its results: all at once as the response to a call, or incrementally on its stream. */
export type ResponseMode = 'answer' | 'stream'

/** Time limit of a search and the lookups after it, in seconds. */
export const deadlineSeconds: Readonly<Record<ResponseMode, number>> = { answer: 90, stream: 150 }

/** The requested search, stored with its session: any replica derives the same plan from it. */
export type SearchJob = {
  readonly request: SearchRequest
  readonly tier: Tier
  readonly responseMode: ResponseMode
  /** Set for a search created as an object or by a monitor: it needs no followers, and its run has this time limit. */
  readonly object?: { readonly activeDeadlineSeconds: number }
  /** Set for a search that no client follows: it ends without waiting for the analysis of its photos, which is stored when it comes. */
  readonly leavesPhotos?: boolean
}

/** Time limit of a search's run, in seconds. */
export const runSeconds = ({ responseMode, object }: SearchJob): number =>
  object?.activeDeadlineSeconds ?? deadlineSeconds[responseMode]

/** A job as it is stored, which names the response mode `telling`. */
type StoredJob = Omit<SearchJob, 'responseMode'> & { readonly telling: ResponseMode }

export const encodeJob = ({ responseMode, ...job }: SearchJob): string =>
  JSON.stringify({ ...job, telling: responseMode } satisfies StoredJob)

export const decodeJob = (json: string): SearchJob => {
  const { telling, ...job } = JSON.parse(json) as StoredJob
  return { ...job, responseMode: telling }
}

/** Searches that one replica drives concurrently: they mostly wait for the marketplace. */
export const searchesAtOnce = 64

/** How many times a search is driven if its drivers die. */
export const maxTries = 6

/** Searches to drive, by session. A search whose driver is silent is redelivered to another replica. */
export const searches = queue({
  name: 'listings.searches',
  ...jsonCodec<{ readonly sessionId: string }>(),
  acknowledgeWithinMilliseconds: 6_000,
  // One more than the attempts: the last delivery only publishes the failure.
  maxDeliveries: maxTries + 1,
  backOffMilliseconds: [500, 2_000, 5_000, 10_000, 20_000],
  maxWaiting: 500,
})
