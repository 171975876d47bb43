import { type ErrorKind, type ServiceError, serviceError } from '@trellis/kit/errors'

/**
 * Why the marketplace returned no result. A run reports `word` as its reason; the detail begins with `sentence`, so that no
 * reason can be mistaken for another, or for "no results".
 */
const reasons = {
  refused: { word: 'MarketplaceRefused', kind: 'upstream_failed', sentence: 'The marketplace refused' },
  robots: {
    word: 'ForbiddenByRobots',
    kind: 'upstream_failed',
    sentence: "The marketplace's robots.txt forbids this page",
  },
  breakerOpen: {
    word: 'BreakerOpen',
    kind: 'upstream_failed',
    sentence: 'Requests to the marketplace are paused after a refusal',
  },
  notUnderstood: {
    word: 'PageNotUnderstood',
    kind: 'upstream_failed',
    sentence: 'A page of the marketplace could not be understood',
  },
  layoutDrift: { word: 'LayoutDrift', kind: 'upstream_failed', sentence: "The marketplace's pages have changed" },
  failed: { word: 'UpstreamFailed', kind: 'upstream_failed', sentence: 'The marketplace failed' },
  noBrowser: {
    word: 'BrowserUnavailable',
    kind: 'unavailable',
    sentence: 'The page needs a browser, but the configured one cannot render it',
  },
  timedOut: { word: 'UpstreamTimeout', kind: 'upstream_timeout', sentence: 'The marketplace did not answer in time' },
  unconfigured: { word: 'Unconfigured', kind: 'unavailable', sentence: 'The marketplace API needs credentials' },
} as const satisfies Record<string, { word: string; kind: ErrorKind; sentence: string }>

export type MarketplaceReason = keyof typeof reasons
export type MarketplaceFailure = ServiceError & {
  readonly reason: string
  readonly marketplaceReason: MarketplaceReason
}

/** A failure to throw: `throw marketplaceFailure('refused', 'it answered with status 403')`. */
export const marketplaceFailure = (
  reason: MarketplaceReason,
  detail: string,
  { retryAfterSeconds, cause }: { readonly retryAfterSeconds?: number | undefined; readonly cause?: unknown } = {},
): MarketplaceFailure => {
  const { word, kind, sentence } = reasons[reason]
  const made = serviceError(kind, `${sentence}: ${detail}.`, {
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) }),
  })
  return Object.assign(made, { reason: word, marketplaceReason: reason })
}

/** Whether a thrown value is a marketplace failure, optionally of one reason. */
export const isMarketplaceFailure = (error: unknown, reason?: MarketplaceReason): error is MarketplaceFailure =>
  error instanceof Error && 'marketplaceReason' in error && (reason === undefined || error.marketplaceReason === reason)
