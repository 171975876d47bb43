import type { GetCompsResponse } from '@trellis/protos/ts/trellis/listings/v1/listings.ts'
import type { StoredComp } from './store.ts'

/** A market price in the API's form. It expires only if there is one. */
export const compMessage = (query: string, comp: StoredComp): GetCompsResponse => {
  const { details, history } = comp
  return {
    query,
    medianPrice: comp.medianPrice,
    currency: comp.currency,
    sampleCount: comp.sampleCount,
    quartiles: comp.quartiles === null ? null : JSON.stringify(comp.quartiles),
    expiresAt: comp.medianPrice === null ? null : comp.expiresAt,
    interval: details?.interval ?? null,
    confidence: details?.confidence ?? 'none',
    modes: [...(details?.modes ?? [])],
    recentMedian: details?.recentMedian ?? null,
    strata: (details?.strata ?? []).map(({ condition, medianPrice, sampleCount, interval }) => ({
      condition,
      medianPrice,
      sampleCount,
      interval,
    })),
    excluded: { ...details?.excluded },
    history: {
      firstOn: history?.firstOn ?? null,
      bands: (history?.bands ?? []).map((band) => ({ ...band })),
      dealBelow: history?.dealBelow ?? null,
      dealUnknown: history?.dealUnknown ?? null,
    },
  }
}
