import type { ListingRest } from '@trellis/protos/edge/client.ts'
import { action } from '../../api/action.svelte.ts'
import { call } from '../../api/client.ts'
import { toFailure } from '../../api/failure.ts'
import { removal } from '../../api/removal.ts'
import { toasts } from '../../ui/toasts.svelte.ts'
import type { Result } from './filters.ts'
import type { LiveSearch } from './live-search.svelte.ts'

type What = 'look up' | 'block'

const sellersOf = (results: readonly Result[]): string[] => [
  ...new Set(results.map(({ listing }) => listing.seller_platform_id).filter(Boolean)),
]
/** What speaks against a seller, by their listings among some results. */
const flagsOf = (results: readonly Result[], seller: string): string[] => [
  ...new Set(
    results
      .filter(({ listing }) => listing.seller_platform_id === seller)
      .flatMap(({ score }) => [...(score?.hard_filters ?? []), ...(score?.soft_flags ?? [])]),
  ),
]
const namesOf = ([only = '', ...others]: readonly string[]): string =>
  others.length === 0 ? only : `${others.length + 1} sellers`

/** What can be done with the sellers of a search's results, one or several at a time. */
export const createSellerActions = (search: LiveSearch) => {
  /** What is being done with which listings. */
  let busy = $state.raw<ReadonlyMap<string, What>>(new Map())
  let reported = $state.raw<ReadonlySet<string>>(new Set())

  /** Runs `work` unless one of the listings is busy. */
  const during = async (listings: readonly ListingRest[], what: What, work: () => Promise<void>): Promise<void> => {
    const ids = listings.map(({ platform_listing_id: id }) => id)
    if (ids.some((id) => busy.has(id))) return
    busy = new Map([...busy, ...ids.map((id) => [id, what] as const)])
    try {
      await work()
    } catch (error) {
      toasts.show(toFailure(error).message, { tone: 'warn' })
    } finally {
      busy = new Map([...busy].filter(([id]) => !ids.includes(id)))
    }
  }
  const lookUp = ({ listing }: Result): Promise<void> =>
    during([listing], 'look up', async () => {
      const { platform_listing_id: id, seller_platform_id: seller } = listing
      const found = await call('POST /listings/api/enrich', { query: { seller, listing_id: id } })
      if (found.trust_score) search.setScore(id, found.trust_score)
      if (found.seller) search.setSeller(found.seller)
    })
  /** Reads the scores of the sellers' listings again. */
  const rescore = async (sellers: readonly string[]): Promise<void> => {
    const theirs = search.results.filter(({ listing }) => sellers.includes(listing.seller_platform_id))
    for (const { listing } of theirs) {
      const { platform_listing_id: id } = listing
      const { trust_score: score } = await call('GET /listings/api/listings/{platform_listing_id}', {
        path: { platform_listing_id: id },
      })
      if (score) search.setScore(id, score)
    }
  }
  const block = (results: readonly Result[]): Promise<void> => {
    const listings = results.map(({ listing }) => listing)
    const sellers = sellersOf(results)
    return during(listings, 'block', async () => {
      for (const seller of sellers)
        await call('POST /listings/api/blocklist', {
          body: { platform_seller_id: seller, username: seller, flags: flagsOf(results, seller) },
        })
      await rescore(sellers)
      const undo = () =>
        during(listings, 'block', async () => {
          for (const seller of sellers)
            await removal(
              call('DELETE /listings/api/blocklist/{platform_seller_id}', { path: { platform_seller_id: seller } }),
            )
          await rescore(sellers)
        })
      const are = sellers.length === 1 ? 'is' : 'are'
      toasts.show(`${namesOf(sellers)} ${are} on the blocklist: their listings score 0.`, { undo: () => void undo() })
    })
  }
  const report = action(
    async (results: readonly Result[]) => {
      const sellers = sellersOf(results)
      await call('POST /listings/api/reported', {
        body: { sellers: sellers.map((seller) => ({ platform_seller_id: seller, username: seller })) },
      })
      reported = new Set([...reported, ...sellers])
      const are = sellers.length === 1 ? 'is' : 'are'
      toasts.show(
        `${namesOf(sellers)} ${are} remembered as reported. The report itself is made at the marketplace: open the listing there.`,
      )
    },
    { inTurn: true },
  )

  return {
    busyWith: (id: string): What | undefined => busy.get(id),
    isReported: (seller: string): boolean => reported.has(seller),
    /** Learns which sellers the user has reported before. */
    loadReported: async (): Promise<void> => {
      try {
        reported = new Set((await call('GET /listings/api/reported')).reported)
      } catch {
        // Without it, results carry no marks, and everything else works.
      }
    },
    lookUp,
    block,
    report,
  }
}
