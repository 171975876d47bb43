import type { Metrics } from '@trellis/kit/telemetry'
import type { ApiUsage } from './marketplace/adapter.ts'
import type { FieldCount } from './marketplace/page-fields.ts'
import type { PageField } from './page-drift/store.ts'

/** Outcome of a search. */
export type SearchOutcome = 'done' | 'failed' | 'cancelled' | 'timeout'

/** Metrics of the service. */
export type ListingsMetrics = {
  readonly searched: (adapter: 'api' | 'scraper', outcome: SearchOutcome) => void
  /** Share of the cards of a search's worst page that could be read; lower values mean layout drift. */
  readonly pagesRead: (usableShare: number) => void
  /** Calls of a run to the marketplace's API, and the calls that its daily quota has left, if it was read. */
  readonly apiUsed: (usage: ApiUsage) => void
  /** Fields of the pages that a run has read, and the rates of all fields. */
  readonly fieldsRead: (counts: readonly FieldCount[], rates: readonly PageField[]) => void
}

/** Records nothing. */
export const noMetrics: ListingsMetrics = {
  searched: () => undefined,
  pagesRead: () => undefined,
  apiUsed: () => undefined,
  fieldsRead: () => undefined,
}

export const createListingsMetrics = (metrics: Metrics): ListingsMetrics => {
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
  const fields = metrics.counter({
    name: 'trellis_listings_page_fields_total',
    help: 'Fields of pages that were read, by kind of page, field, and whether it was found.',
    labels: ['page', 'field', 'result'],
  })
  let known: readonly PageField[] = []
  metrics.gauges(
    {
      name: 'trellis_listings_page_field_ratio',
      help: 'Share of pages or cards on which a field is found: of about the last 10 pages (recent) and the last 500 (baseline).',
      labels: ['page', 'field', 'window'],
    },
    () =>
      known.flatMap(({ page, field, recent, baseline }) => [
        { labels: { page, field, window: 'recent' }, value: recent },
        { labels: { page, field, window: 'baseline' }, value: baseline },
      ]),
  )
  metrics.gauges(
    {
      name: 'trellis_listings_page_field_drift',
      help: 'Whether a field is found on less than half as many pages as usual (1) or not (0).',
      labels: ['page', 'field'],
    },
    () => known.map(({ page, field, isDrifting }) => ({ labels: { page, field }, value: isDrifting ? 1 : 0 })),
  )
  return {
    fieldsRead: (counts, rates) => {
      for (const { page, field, read, filled } of counts) {
        fields.inc({ page, field, result: 'found' }, filled)
        fields.inc({ page, field, result: 'missing' }, read - filled)
      }
      known = rates
    },
    apiUsed: (usage) => {
      calls.inc(usage.calls)
      remaining = usage.quota?.remaining ?? remaining
    },
    searched: (adapter, outcome) => searches.inc({ adapter, outcome }),
    pagesRead: (usableShare) => usableCards.observe(usableShare),
  }
}
