import { withExclusions } from '../../search-terms.ts'
import type { SearchRequest } from '../adapter.ts'

/** Sort orders by the marketplace's numbers. Best match, since sorting by price would return mostly baits. */
const order = { bestMatch: '12', endedRecently: '13' } as const
const resultsPerPage = '60'

const address = (baseUrl: string, path: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(path, baseUrl)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

/** URL of one page of active listings, with every value encoded. */
export const searchAddress = (baseUrl: string, request: SearchRequest, page: number): string =>
  address(baseUrl, '/sch/i.html', {
    _nkw: withExclusions(request.query, request.mustExclude),
    _sacat: request.categoryId,
    _udlo: request.minPrice?.toString(),
    _udhi: request.maxPrice?.toString(),
    _sop: order.bestMatch,
    _ipg: resultsPerPage,
    _pgn: page > 1 ? String(page) : undefined,
  })

/** URL of the most recent completed sales of a query. */
export const soldAddress = (baseUrl: string, query: string): string =>
  address(baseUrl, '/sch/i.html', {
    _nkw: query,
    LH_Sold: '1',
    LH_Complete: '1',
    _sop: order.endedRecently,
    _ipg: resultsPerPage,
  })

export const itemAddress = (baseUrl: string, platformListingId: string): string =>
  address(baseUrl, `/itm/${encodeURIComponent(platformListingId)}`, {})

export const sellerAddress = (baseUrl: string, platformSellerId: string): string =>
  address(baseUrl, '/sch/i.html', { _ssn: platformSellerId, _sop: order.bestMatch })
