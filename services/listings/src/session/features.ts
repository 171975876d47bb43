import type { Tier } from '@trellis/kit/rpc'

/** What a tier allows. A limit of null means unlimited. */
export type Features = {
  readonly savedSearches: boolean
  readonly savedSearchesLimit: number | null
  readonly backgroundMonitoring: boolean
  readonly maxPages: number
  readonly upcSearch: boolean
  readonly photoAnalysis: boolean
  readonly sharedScammerDb: boolean
  readonly sharedImageDb: boolean
  readonly llmQueryBuilder: boolean
}

const everything: Features = {
  savedSearches: true,
  savedSearchesLimit: null,
  backgroundMonitoring: true,
  maxPages: 5,
  upcSearch: true,
  photoAnalysis: true,
  sharedScammerDb: true,
  sharedImageDb: true,
  llmQueryBuilder: true,
}

const byTier: Readonly<Record<Tier, Features>> = {
  free: {
    savedSearches: true,
    savedSearchesLimit: 3,
    backgroundMonitoring: false,
    maxPages: 1,
    upcSearch: false,
    photoAnalysis: false,
    sharedScammerDb: false,
    sharedImageDb: false,
    llmQueryBuilder: false,
  },
  paid: everything,
  premium: everything,
  ultra: everything,
  local: { ...everything, maxPages: 999 },
}

export const featuresOf = (tier: Tier): Features => byTier[tier]

/** Pages that a search may read: at least one, at most the limit of the tier. */
export const clampPages = (requested: number | null | undefined, tier: Tier): number =>
  Math.min(Math.max(1, Math.trunc(requested ?? 1)), featuresOf(tier).maxPages)
