import { marketplaceFailure } from '../failures.ts'
import { refusalIn } from '../refusal.ts'
import type { HostGate } from './host-gate.ts'
import type { HttpAnswer, HttpGet } from './http-get.ts'
import type { PageCache } from './page-cache.ts'
import type { Robots } from './robots.ts'

/** Fetches one page politely; the text of the page, or undefined for one that does not exist (404, 410). */
export type FetchPage = (address: string, signal: AbortSignal) => Promise<string | undefined>

export type FetchPageParts = {
  readonly get: HttpGet
  readonly gate: HostGate
  readonly robots: Robots
  readonly cache: PageCache
}

/** Statuses by which a host says "not you, not now". */
const refusals = new Set([401, 403, 407, 418, 429, 451, 503])
/** What the cache holds for a page that does not exist. */
const absent = ''

const toPage = async (
  { status, body, retryAfterSeconds }: HttpAnswer,
  host: string,
  gate: HostGate,
): Promise<string> => {
  if (status === 404 || status === 410) {
    await gate.succeeded(host)
    return absent
  }
  if (refusals.has(status)) {
    await gate.refused(host, retryAfterSeconds)
    throw marketplaceFailure('refused', `it answered with status ${status}`, { retryAfterSeconds })
  }
  if (status >= 400) {
    if (status >= 500) await gate.refused(host, retryAfterSeconds)
    throw marketplaceFailure('failed', `it answered with status ${status}`, { retryAfterSeconds })
  }
  // A page titled as an error or a challenge is a refusal whatever its status; only short ones are, full pages are read.
  const challenge = body.length < 150_000 && !/\/itm\/\d/.test(body) ? refusalIn(body) : undefined
  if (challenge !== undefined) {
    await gate.refused(host, retryAfterSeconds)
    throw marketplaceFailure('refused', challenge, { retryAfterSeconds })
  }
  await gate.succeeded(host)
  return body
}

/**
 * Puts the parts of polite fetching together: the cache first, then robots.txt, then the host's turn, then the request.
 * A refusal is never cached, never retried at once, and never taken for an empty page.
 */
export const createFetchPage =
  ({ get, gate, robots, cache }: FetchPageParts): FetchPage =>
  async (address, signal) => {
    const page = await cache.get(address, async () => {
      const { host } = new URL(address)
      const { isAllowed, crawlDelaySeconds } = await robots.check(address, signal)
      if (!isAllowed) throw marketplaceFailure('robots', new URL(address).pathname)
      if (crawlDelaySeconds !== undefined) await gate.slowDown(host, crawlDelaySeconds * 1000)
      await gate.enter(host, signal)
      return toPage(await get(address, signal), host, gate)
    })
    return page === absent ? undefined : page
  }
