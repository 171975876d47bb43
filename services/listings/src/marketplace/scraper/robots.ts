import robotsParser from 'robots-parser'
import { isMarketplaceFailure, type MarketplaceFailure, marketplaceFailure } from '../failures.ts'
import type { HttpAnswer, HttpGet } from './http-get.ts'
import { canonicalUrl, withCanonicalPaths } from './robots-paths.ts'

/** The package declares a `default` export, but its module is the function itself. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default

export type RobotsOptions = {
  readonly get: HttpGet
  /** Name that rules are matched by: the product token of the user agent. */
  readonly userAgent: string
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

export type RobotsVerdict = {
  readonly isAllowed: boolean
  readonly crawlDelaySeconds: number | undefined
  /** Why the rules are unknown, if nothing is allowed for that reason. */
  readonly failure?: MarketplaceFailure | undefined
}
export type Robots = { readonly check: (address: string, signal: AbortSignal) => Promise<RobotsVerdict> }

/** Lifetime of rules (RFC 9309, 2.4: no more than 24 hours), in milliseconds. */
const lifetime = 24 * 3_600_000
/** Delay before a robots.txt that could not be fetched is requested again, in milliseconds. */
const lifetimeOfFailure = 60_000
/** Maximum characters that are read of the file: the minimum that RFC 9309, 2.5 requires of parsers. */
const maxCharacters = 512 * 1024
const maxHosts = 50

type Rules = { readonly verdict: (address: string) => RobotsVerdict; readonly goodUntil: number }

const allowAll = (): RobotsVerdict => ({ isAllowed: true, crawlDelaySeconds: undefined })
const allowNone = (failure: MarketplaceFailure) => (): RobotsVerdict => ({
  isAllowed: false,
  crawlDelaySeconds: undefined,
  failure,
})

/**
 * Follows robots.txt as RFC 9309 defines it: rules per host, the longest match wins, a missing file (4xx) allows everything,
 * and one that cannot be fetched (5xx, no response) forbids everything until it can.
 */
export const createRobots = ({ get, userAgent, clock }: RobotsOptions): Robots => {
  const known = new Map<string, Promise<Rules>>()

  const unknown = (failure: MarketplaceFailure): Rules => ({
    verdict: allowNone(failure),
    goodUntil: clock() + lifetimeOfFailure,
  })
  const rulesFrom = ({ status, body, retryAfterSeconds }: HttpAnswer, file: string): Rules => {
    if (status >= 500 || status === 429)
      return unknown(
        marketplaceFailure(status === 429 ? 'refused' : 'failed', `its robots.txt answered with status ${status}`, {
          retryAfterSeconds,
        }),
      )
    if (status >= 400) return { verdict: allowAll, goodUntil: clock() + lifetime }
    const parsed = parseRobots(file, withCanonicalPaths(body.slice(0, maxCharacters)))
    return {
      verdict: (address) => ({
        isAllowed: parsed.isAllowed(canonicalUrl(address), userAgent) ?? true,
        crawlDelaySeconds: parsed.getCrawlDelay(userAgent),
      }),
      goodUntil: clock() + lifetime,
    }
  }

  const load = async (origin: string, signal: AbortSignal): Promise<Rules> => {
    const file = `${origin}/robots.txt`
    try {
      return rulesFrom(await get(file, signal), file)
    } catch (error) {
      signal.throwIfAborted()
      // The host is closed for now: the rules can be requested when it opens.
      if (isMarketplaceFailure(error, 'breakerOpen')) throw error
      // An unreachable host has forbidden nothing: other requests to it fail for the same reason.
      return unknown(
        isMarketplaceFailure(error)
          ? error
          : marketplaceFailure('failed', 'its robots.txt cannot be read', { cause: error }),
      )
    }
  }

  const rulesOf = (origin: string, signal: AbortSignal): Promise<Rules> => {
    const loading = load(origin, signal)
    known.delete(origin)
    known.set(origin, loading)
    // A cancelled load must not count as the host's rules.
    loading.catch(() => known.delete(origin))
    const [oldest] = known.keys()
    if (known.size > maxHosts && oldest !== undefined) known.delete(oldest)
    return loading
  }

  /** The rules of a host, which concurrent callers request once. */
  const currentRules = async (origin: string, signal: AbortSignal): Promise<Rules> => {
    const held = known.get(origin)
    if (held === undefined) return rulesOf(origin, signal)
    const rules = await held.catch(() => undefined)
    if (rules !== undefined && rules.goodUntil > clock()) return rules
    const newer = known.get(origin)
    return newer === undefined || newer === held ? rulesOf(origin, signal) : currentRules(origin, signal)
  }

  return {
    check: async (address, signal) => (await currentRules(new URL(address).origin, signal)).verdict(address),
  }
}
