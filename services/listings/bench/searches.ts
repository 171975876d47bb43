import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { families } from '../src/marketplace/demo/catalogue.ts'
import { type OpenService, openService } from '../test/open-service.ts'
import { local, request } from '../test/searches.ts'

/** Durations of searches from the call to the complete answer, in milliseconds. */
export type SearchFigures = {
  readonly atOnce: number
  readonly searches: number
  readonly p50: number
  readonly p99: number
  readonly perSecond: number
}

const models = families.flatMap(({ models: all, variants }) =>
  all.flatMap(([name]) => variants.map((variant) => `${name} ${variant.split(' ')[0] ?? ''}`.trim())),
)

const quantileOf = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0

/** Runs distinct searches, so that no page and no market price is cached, with a constant number at once. */
const load = async (service: OpenService, queries: readonly string[], atOnce: number): Promise<SearchFigures> => {
  const durations: number[] = []
  let next = 0
  const lane = async () => {
    for (let query = queries[next++]; query !== undefined; query = queries[next++]) {
      const started = performance.now()
      await service.client.search(request({ q: query }), { caller: local })
      durations.push(performance.now() - started)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: atOnce }, lane))
  const seconds = (performance.now() - started) / 1000
  const sorted = durations.toSorted((a, b) => a - b)
  return {
    atOnce,
    searches: sorted.length,
    p50: quantileOf(sorted, 0.5),
    p99: quantileOf(sorted, 0.99),
    perSecond: sorted.length / seconds,
  }
}

/** Searches of the demo marketplace through the whole service: worker, SQLite, scores and answer. */
export const measureSearches = async (
  loads: readonly { readonly atOnce: number; readonly searches: number }[],
): Promise<readonly SearchFigures[]> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'trellis-bench-searches-'))
  // Sellers are still being looked up when a search has been answered, and it counts towards its user's limit until then.
  const service = await openService({ dataDirectory }, { LISTINGS_USER_SEARCHES: '500' })
  try {
    await service.client.search(request({ q: 'camera' }), { caller: local })
    const figures: SearchFigures[] = []
    let from = 0
    for (const { atOnce, searches } of loads) {
      const queries = Array.from({ length: searches }, (_, index) => models[(from + index) % models.length] ?? 'camera')
      figures.push(await load(service, queries, atOnce))
      from += searches
    }
    return figures
  } finally {
    await service.close()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}
