import type { Metrics } from '@trellis/kit/telemetry'

/** How a search went. */
export type SearchOutcome = 'done' | 'failed' | 'cancelled' | 'timeout'

/** What the service counts. */
export type Measures = {
  readonly searched: (adapter: 'api' | 'scraper', outcome: SearchOutcome) => void
  /** Share of the cards of a search's worst page that could be read: how far the pages have drifted. */
  readonly pagesRead: (usableShare: number) => void
}

/** Counts nothing, for where nobody asks. */
export const noMeasures: Measures = { searched: () => undefined, pagesRead: () => undefined }

export const createMeasures = (metrics: Metrics): Measures => {
  const searches = metrics.counter({
    name: 'trellis_listings_searches_total',
    help: 'Searches by the way to the marketplace and by how they went.',
    labels: ['adapter', 'outcome'],
  })
  const usableCards = metrics.histogram({
    name: 'trellis_listings_usable_cards_ratio',
    help: "Share of the cards of a search's worst page that have an id, a title and a price.",
    buckets: [0.8, 0.9, 0.95, 0.98, 0.999, 1],
  })
  return {
    searched: (adapter, outcome) => searches.inc({ adapter, outcome }),
    pagesRead: (usableShare) => usableCards.observe(usableShare),
  }
}
