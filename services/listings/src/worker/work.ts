import type { MarketplaceAdapter, SearchRequest, SellerFacts } from '../marketplace/adapter.ts'
import type { FoundListings } from '../records.ts'
import { partFailure } from './failure.ts'
import { splitFound } from './found-parts.ts'
import { encodeMessage, type Marketplace, type SellerTask, type WorkerInput, type WorkerOutput } from './messages.ts'

/** Dependencies of a run: adapters, and the outputs of its findings. */
export type WorkerDependencies = {
  readonly adapterOf: (marketplace: Marketplace) => MarketplaceAdapter
  readonly output: (message: Uint8Array) => void
  readonly progress: (fraction: number, detail?: string) => void
  readonly signal: AbortSignal
}

/** Maximum concurrent queries of one search, beside its lookup of sales, and lookups of one enrichment. */
const lanes = { queries: 4, sellers: 2 } as const

/** Runs a step for each value with limited concurrency; rejects with the first error. */
const inLanes = async <Value, Result>(
  values: readonly Value[],
  width: number,
  step: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    for (let index = next++; index < values.length; index = next++) {
      const value = values[index]
      if (value !== undefined) results[index] = await step(value)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, values.length) }, lane))
  return results
}

/** The first of the values with each key, in order. */
const firstOfEach = <Value>(values: readonly Value[], keyOf: (value: Value) => string): readonly Value[] => {
  const seen = new Set<string>()
  return values.filter((value) => {
    const isFirst = !seen.has(keyOf(value))
    seen.add(keyOf(value))
    return isFirst
  })
}

/** Merges the results of several queries; the first occurrence of a listing or a seller wins, in its place. */
export const mergeFound = (found: readonly FoundListings[]): FoundListings => {
  const shares = found.flatMap(({ usableShare }) => usableShare ?? [])
  return {
    listings: firstOfEach(
      found.flatMap(({ listings }) => listings),
      ({ platformListingId }) => platformListingId,
    ),
    sellers: firstOfEach(
      found.flatMap(({ sellers }) => sellers),
      ({ platformSellerId }) => platformSellerId,
    ),
    usableShare: shares.length === 0 ? null : Math.min(...shares),
  }
}

const emit = ({ output }: WorkerDependencies, message: WorkerOutput) => output(encodeMessage(message))

/** A failed sales lookup does not fail the search: there is no market price then, and the reason is reported. */
const lookUpSales = async (
  adapter: MarketplaceAdapter,
  query: string,
  dependencies: WorkerDependencies,
): Promise<void> => {
  try {
    emit(dependencies, {
      kind: 'sales',
      query,
      sales: await adapter.completedSales(query, dependencies.signal),
      failure: null,
    })
  } catch (error) {
    dependencies.signal.throwIfAborted()
    emit(dependencies, { kind: 'sales', query, sales: [], ...partFailure(error) })
  }
}

const search = async (
  adapter: MarketplaceAdapter,
  requests: readonly SearchRequest[],
  dependencies: WorkerDependencies,
): Promise<void> => {
  let done = 0
  const found = await inLanes(requests, lanes.queries, async (request) => {
    const result = await adapter.search(request, dependencies.signal)
    dependencies.progress(++done / requests.length)
    return result
  })
  for (const part of splitFound(mergeFound(found))) emit(dependencies, part)
}

/** Where sellers are looked up: on the site, and before it through the API, if both are configured. */
type Sources = { readonly site: MarketplaceAdapter; readonly api: MarketplaceAdapter | undefined }

/** Whether facts leave a question that the listing's page may answer. */
const isIncomplete = ({ accountOpened, feedbackCount }: SellerFacts): boolean =>
  accountOpened === null || feedbackCount === null || feedbackCount === 0

const isSameSeller = (a: SellerFacts, b: SellerFacts): boolean => {
  const names = new Set(a.sellerNames.map((name) => name.toLowerCase()))
  return b.sellerNames.some((name) => names.has(name.toLowerCase()))
}

/** Completes facts of the API by those of the page, if both are about the same seller; otherwise the page's are newer. */
const completed = (api: SellerFacts, page: SellerFacts): SellerFacts =>
  !isSameSeller(api, page)
    ? page
    : {
        sellerNames: [...new Set([...api.sellerNames, ...page.sellerNames])],
        accountOpened: api.accountOpened ?? page.accountOpened,
        feedbackCount: api.feedbackCount ?? page.feedbackCount,
        feedbackRatio: api.feedbackRatio ?? page.feedbackRatio,
        platformUserId: api.platformUserId ?? null,
      }

/** Facts through the API first; from the listing's page if the API fails or does not show all. */
const factsOf = async ({ site, api }: Sources, listingId: string, signal: AbortSignal) => {
  const known = await api?.sellerFacts(listingId, signal).catch(() => undefined)
  signal.throwIfAborted()
  if (known !== undefined && !isIncomplete(known)) return known
  try {
    const shown = await site.sellerFacts(listingId, signal)
    return known === undefined || shown === undefined ? (shown ?? known) : completed(known, shown)
  } catch (error) {
    signal.throwIfAborted()
    if (known !== undefined) return known
    throw error
  }
}

const lookUpSeller = async (sources: Sources, task: SellerTask, dependencies: WorkerDependencies): Promise<void> => {
  const { sellerId, listingId, wantsFacts, wantsCategories } = task
  const { site: adapter } = sources
  const requested = await Promise.allSettled([
    wantsFacts && listingId !== null ? factsOf(sources, listingId, dependencies.signal) : undefined,
    wantsCategories ? adapter.sellerCategories(sellerId, dependencies.signal) : null,
  ])
  dependencies.signal.throwIfAborted()
  const [facts, categories] = requested
  const [failed] = requested.flatMap((result) => (result.status === 'rejected' ? [partFailure(result.reason)] : []))
  emit(dependencies, {
    kind: 'seller',
    sellerId,
    listingId,
    facts: facts.status === 'fulfilled' ? (facts.value ?? null) : null,
    categories: categories.status === 'fulfilled' ? categories.value : null,
    ...(failed ?? { failure: null }),
  })
}

/** Timeout for reading the quota, which the results of a run wait for, in milliseconds. */
const quotaPatience = 3_000

/**
 * Does work through adapters, and reports, even if it fails, the calls that it has sent to the API and the fields of the pages
 * that it has read.
 */
const counting = async (
  adapters: readonly MarketplaceAdapter[],
  dependencies: WorkerDependencies,
  work: () => Promise<unknown>,
): Promise<void> => {
  const usage = adapters.find((adapter) => adapter.usage !== undefined)?.usage
  const quota = usage?.readQuota(AbortSignal.any([dependencies.signal, AbortSignal.timeout(quotaPatience)]))
  try {
    await work()
  } finally {
    const fields = adapters.flatMap((adapter) => adapter.fields?.() ?? [])
    if (fields.length > 0) emit(dependencies, { kind: 'pages', fields })
    if (usage !== undefined) emit(dependencies, { kind: 'api', quota: (await quota) ?? null, calls: usage.calls() })
  }
}

/** Executes the input of a run, sending findings as they come; sales may precede the listings. */
export const performWork = async (input: WorkerInput, dependencies: WorkerDependencies): Promise<void> => {
  const adapter = dependencies.adapterOf(input.marketplace)
  if (input.kind === 'search')
    return counting([adapter], dependencies, () => searchAndCompare(adapter, input, dependencies))
  const api = input.api ? dependencies.adapterOf(input.api) : undefined
  await counting(api === undefined ? [adapter] : [api, adapter], dependencies, () =>
    inLanes(input.tasks, lanes.sellers, (task) => lookUpSeller({ site: adapter, api }, task, dependencies)),
  )
}

const searchAndCompare = async (
  adapter: MarketplaceAdapter,
  input: Extract<WorkerInput, { kind: 'search' }>,
  dependencies: WorkerDependencies,
): Promise<void> => {
  await Promise.all([
    input.salesQuery === null ? undefined : lookUpSales(adapter, input.salesQuery, dependencies),
    input.requests.length === 0 ? undefined : search(adapter, input.requests, dependencies),
  ])
}
