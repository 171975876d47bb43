import type {
  ListingRest,
  ListingsFrameRest,
  ListingsSearchResponseRest,
  MarketPriceFrameRest,
  SearchAsyncResponseRest,
  SellerRest,
  TrustScoreRest,
} from '@trellis/protos/edge/client.ts'
import { untrack } from 'svelte'
import { call, request } from '../../api/client.ts'
import { Failure, isAbort, toFailure } from '../../api/failure.ts'
import { follow, type Stream, type StreamState } from '../../api/stream.ts'
import { parametersOf, type Query, type Result } from './filters.ts'

export type SearchState = 'idle' | 'searching' | 'looking up sellers' | 'done' | 'timed out' | 'cancelled' | 'failed'

/** How long a changed score shows what it was, in milliseconds. */
const deltaMilliseconds = 5_000

/** A search of the marketplace that fills the page as its frames arrive. */
export const createLiveSearch = (onSession: (id: string) => void) => {
  let state = $state<SearchState>('idle')
  let failure = $state.raw<Failure | undefined>(undefined)
  let connection = $state.raw<StreamState | undefined>(undefined)
  let listings = $state.raw<readonly ListingRest[]>([])
  let scores = $state.raw<ReadonlyMap<string, TrustScoreRest>>(new Map())
  let sellers = $state.raw<ReadonlyMap<string, SellerRest>>(new Map())
  let market = $state.raw<MarketPriceFrameRest | undefined>(undefined)
  let adapter = $state<string | undefined>(undefined)
  let deltas = $state.raw<ReadonlyMap<string, number>>(new Map())
  let changed = $state(0)
  let stream: Stream | undefined
  let session: string | undefined
  let isDemo = $state(false)
  let isAffiliate = $state(false)
  /** Counts starts: the answer to an earlier one is not shown, nor one that arrives after the page was left. */
  let round = 0
  /** Whether the page was left: a search that was about to start is not started. */
  let isClosed = false

  const clear = (): void => {
    listings = []
    scores = new Map()
    sellers = new Map()
    market = undefined
    failure = undefined
    adapter = undefined
    changed = 0
  }

  const show = (answer: ListingsFrameRest | ListingsSearchResponseRest): void => {
    listings = answer.listings
    scores = new Map(Object.entries(answer.trust_scores))
    sellers = new Map(Object.entries(answer.sellers))
    adapter = answer.adapter_used
    isAffiliate = answer.affiliate_active
    state = 'looking up sellers'
  }

  const setScore = (id: string, score: TrustScoreRest): void => {
    const before = scores.get(id)
    scores = new Map(scores).set(id, score)
    const delta = before ? score.composite_score - before.composite_score : 0
    if (delta === 0) return
    changed += 1
    deltas = new Map(deltas).set(id, delta)
    setTimeout(() => {
      const rest = new Map(deltas)
      rest.delete(id)
      deltas = rest
    }, deltaMilliseconds)
  }

  const followSession = (id: string, onLost: () => void): void => {
    stream?.close()
    session = id
    state = 'searching'
    stream = follow(
      'GET /listings/api/updates/{session_id}',
      { path: { session_id: id } },
      {
        on: {
          listings: show,
          market_price: (frame) => {
            market = frame
          },
          update: ({ platform_listing_id: listing, trust_score: score, seller }) => {
            if (score) setScore(listing, score)
            if (seller) sellers = new Map(sellers).set(seller.platform_seller_id, seller)
          },
          search_failed: ({ status, detail }) => {
            state = 'failed'
            failure = new Failure({ status, detail })
          },
          done: ({ reason }) => {
            if (state !== 'failed') state = reason === 'timeout' ? 'timed out' : 'done'
          },
          // What the server no longer has must be searched again.
          reset: onLost,
        },
        endsWith: ['done'],
        onState: (next) => {
          connection = next
          if (next.kind !== 'failed') return
          if (next.failure.status === 404) onLost()
          else {
            state = 'failed'
            failure = next.failure
          }
        },
      },
    )
  }

  const start = async (query: Query): Promise<void> => {
    if (isClosed) return
    const stopped = stop()
    const own = round
    // At once: ending the one before takes a request.
    clear()
    state = 'searching'
    await stopped
    if (own !== round) return
    try {
      const response = await request('GET /listings/api/search/async', { query: parametersOf(query) })
      const { session_id: id } = (await response.json()) as SearchAsyncResponseRest
      if (own !== round) return end(id)
      isDemo = response.headers.get('x-marketplace') === 'demo'
      onSession(id)
      followSession(id, () => void start(query))
    } catch (error) {
      if (isAbort(error) || own !== round) return
      state = 'failed'
      failure = toFailure(error)
    }
  }

  /** Ends a search at the server; one that has ended meanwhile needs no end. */
  const end = async (id: string): Promise<void> => {
    await call('DELETE /listings/api/updates/{session_id}', { path: { session_id: id } }).catch(() => undefined)
  }

  /** Ends the stream and the search behind it; one that is being started ends when its id is known. */
  const stop = async (): Promise<void> => {
    round += 1
    const isUnderWay = ['searching', 'looking up sellers'].includes(untrack(() => state))
    const id = session
    stream?.close()
    stream = undefined
    session = undefined
    if (!isUnderWay) return
    state = 'cancelled'
    if (id !== undefined) await end(id)
  }

  return {
    get state() {
      return state
    },
    get failure() {
      return failure
    },
    get connection() {
      return connection
    },
    get market() {
      return market
    },
    /** Whether the marketplace is the built-in demo; false while it is not known. */
    get isDemo() {
      return isDemo
    },
    /** Whether links carry the installation's campaign. */
    get isAffiliate() {
      return isAffiliate
    },
    get adapter() {
      return adapter
    },
    get deltas() {
      return deltas
    },
    /** How many scores have changed since the listings came. */
    get changed() {
      return changed
    },
    get results(): Result[] {
      return listings.map((listing) => ({
        listing,
        score: scores.get(listing.platform_listing_id),
        seller: sellers.get(listing.seller_platform_id),
      }))
    },
    get isRunning() {
      return state === 'searching' || state === 'looking up sellers'
    },
    get pending() {
      return [...scores.values()].filter(({ score_is_partial: isPartial }) => isPartial).length
    },
    setScore,
    setSeller: (seller: SellerRest): void => {
      sellers = new Map(sellers).set(seller.platform_seller_id, seller)
    },
    start,
    stop,
    /** Follows a search that was started before; one that the server no longer knows is searched again. */
    resume: (id: string, query: Query): void => {
      round += 1
      clear()
      followSession(id, () => void start(query))
    },
    /** Shows nothing, as before the first search; one that runs is ended. */
    reset: (): void => {
      void stop()
      clear()
      state = 'idle'
    },
    /** Leaves the page: the stream closes, and the server ends the search without followers. */
    close: (): void => {
      isClosed = true
      round += 1
      stream?.close()
    },
  }
}
export type LiveSearch = ReturnType<typeof createLiveSearch>
