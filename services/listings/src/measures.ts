import type { Metrics } from '@trellis/kit/telemetry'
import type { ApiUsage } from './marketplace/adapter.ts'

/** Outcome of a search. */
export type SearchOutcome = 'done' | 'failed' | 'cancelled' | 'timeout'

/** Metrics of the service. */
export type Measures = {
  readonly searched: (adapter: 'api' | 'scraper', outcome: SearchOutcome) => void
  /** Share of the cards of a search's worst page that could be read; lower values mean layout drift. */
  readonly pagesRead: (usableShare: number) => void
  /** Calls of a run to the marketplace's API, and the calls that its daily quota has left, if it was read. */
  readonly apiUsed: (usage: ApiUsage) => void
}

/** Discards all measurements. */
export const noMeasures: Measures = { searched: () => undefined, pagesRead: () => undefined, apiUsed: () => undefined }

export const createMeasures = (metrics: Metrics): Measures => {
  const searches = metrics.counter({
    name: 'trellis_listings_searches_total',
    help: 'Searches by adapter and outcome.',
    labels: ['adapter', 'outcome'],
  })
  const usableCards = metrics.histogram({
    name: 'trellis_listings_usable_cards_ratio',
    help: "Share of the cards of a search's worst page that have an id, a title and a price.",
    buckets: [0.8, 0.9, 0.95, 0.98, 0.999, 1],
  })
  const calls = metrics.counter({ name: 'trellis_listings_api_calls_total', help: "Calls to the marketplace's API." })
  let remaining: number | undefined
  metrics.gauges(
    {
      name: 'trellis_listings_api_quota_remaining',
      help: "Calls that the daily quota of the marketplace's API has left, as last read.",
    },
    () => (remaining === undefined ? [] : [{ labels: {}, value: remaining }]),
  )
  return {
    apiUsed: (usage) => {
      calls.inc(usage.calls)
      remaining = usage.quota?.remaining ?? remaining
    },
    searched: (adapter, outcome) => searches.inc({ adapter, outcome }),
    pagesRead: (usableShare) => usableCards.observe(usableShare),
  }
}
