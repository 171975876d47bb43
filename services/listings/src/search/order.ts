import { jsonCodec, queue } from '@trellis/kit/bus'
import type { Tier } from '@trellis/kit/rpc'
import type { SearchRequest } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'

/** How a search tells what it finds: all at once as the answer to a call, or bit by bit on its stream. */
export type Telling = 'answer' | 'stream'

/** How long a search and what follows it may take, in seconds. */
export const deadlineSeconds: Readonly<Record<Telling, number>> = { answer: 90, stream: 150 }

/** What was asked for, kept with the session: any replica plans the same search from it. */
export type SearchOrder = {
  readonly request: SearchRequest
  readonly tier: Tier
  readonly telling: Telling
  /** Of a search that an object asked for: nobody need listen to it, and its run may take so long. */
  readonly object?: { readonly activeDeadlineSeconds: number }
}

/** How long the run of a search may take, in seconds. */
export const runSeconds = ({ telling, object }: SearchOrder): number =>
  object?.activeDeadlineSeconds ?? deadlineSeconds[telling]

export const encodeOrder = (order: SearchOrder): string => JSON.stringify(order)
export const decodeOrder = (json: string): SearchOrder => JSON.parse(json) as SearchOrder

/** Searches that one replica drives at once: what waits is mostly the marketplace. */
export const searchesAtOnce = 64

/** How many times a search is driven, where its drivers die. */
export const maxTries = 6

/** Searches to be driven, by session. One whose driver is not heard of is given to another replica. */
export const searches = queue({
  name: 'listings.searches',
  ...jsonCodec<{ readonly sessionId: string }>(),
  acknowledgeWithinMilliseconds: 6_000,
  // One more than the tries: the last delivery is for telling that there will be no other.
  maxDeliveries: maxTries + 1,
  backOffMilliseconds: [500, 2_000, 5_000, 10_000, 20_000],
  maxWaiting: 500,
})
