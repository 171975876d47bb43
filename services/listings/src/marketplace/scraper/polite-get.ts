import { marketplaceFailure } from '../failures.ts'
import { refusalIn } from '../refusal.ts'
import type { HostGate } from './host-gate.ts'
import type { HttpAnswer, HttpGet } from './http-get.ts'
import type { Robots } from './robots.ts'

export type PoliteGetParts = { readonly get: HttpGet; readonly gate: HostGate; readonly robots: Robots }

export type PoliteGet = {
  /**
   * Gets a URL, and what it redirects to, as soon as robots.txt and the host's rate limit allow each. Returns only successful or absent
   * (404, 410) responses.
   */
  readonly fetchPolitely: HttpGet
  /** Records in the host's state what a response means for it, and throws unless the response is usable. */
  readonly judge: (answer: HttpAnswer) => Promise<HttpAnswer>
}

const maxRedirects = 5

/** Statuses by which a host refuses requests. */
const refusals = new Set([401, 403, 407, 418, 429, 451, 503])

/** Whether a response states that its URL has no content. */
export const isAbsent = ({ status }: Pick<HttpAnswer, 'status'>): boolean => status === 404 || status === 410

/** Scripts and data may contain the words of a challenge without being one. */
const isPage = ({ contentType }: HttpAnswer): boolean => contentType === null || /html|text\/plain/i.test(contentType)

/** Why a page is a challenge, whatever its status. Only short pages without items can be. */
const challengeIn = (answer: HttpAnswer): string | undefined =>
  isPage(answer) && answer.body.length < 150_000 && !/\/itm\/\d/.test(answer.body) ? refusalIn(answer.body) : undefined

/**
 * Records in the host's state what a status means for it, and throws unless the response is successful or absent. Success is recorded by the
 * caller, who knows whether the content is usable.
 */
export const judgeStatus = async (
  gate: HostGate,
  { status, address, retryAfterSeconds }: Pick<HttpAnswer, 'status' | 'address' | 'retryAfterSeconds'>,
): Promise<void> => {
  const { host } = new URL(address)
  if (refusals.has(status)) {
    await gate.refused(host, retryAfterSeconds)
    throw marketplaceFailure('refused', `it answered with status ${status}`, { retryAfterSeconds })
  }
  if (status < 400 || isAbsent({ status })) return
  if (status >= 500) await gate.refused(host, retryAfterSeconds)
  throw marketplaceFailure('failed', `it answered with status ${status}`, { retryAfterSeconds })
}

/**
 * Gets robots.txt files: they count towards a host's rate limit like its pages, and a refusal closes the host. So they are not requested
 * again, by any worker, before the host's Retry-After. Redirects are followed to other hosts, too (RFC 9309, 2.3.1.2), at the pace of each.
 */
export const createGetRobots =
  ({ get, gate }: Pick<PoliteGetParts, 'get' | 'gate'>): HttpGet =>
  async (address, signal, accept) => {
    let target = address
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const { host } = new URL(target)
      await gate.enter(host, signal)
      const answer = await get(target, signal, accept, 'to any host')
      if (answer.status === 429 || answer.status >= 500) await gate.refused(host, answer.retryAfterSeconds)
      if (answer.movedTo === undefined) return answer
      target = answer.movedTo
    }
    throw marketplaceFailure('failed', 'its robots.txt redirects in a loop')
  }

/** A response that may redirect to another URL on the same host. */
type Redirecting = { readonly movedTo?: string | undefined }

/**
 * Sends a request, and those for what it redirects to, each as soon as robots.txt and the host's rate limit allow it. Returns the first
 * response that does not redirect.
 */
export const followPolitely = async <Answer extends Redirecting>(
  { gate, robots }: Pick<PoliteGetParts, 'gate' | 'robots'>,
  address: string,
  signal: AbortSignal,
  send: (target: string) => Promise<Answer>,
): Promise<Answer> => {
  let target = address
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const { host, pathname } = new URL(target)
    const { isAllowed, crawlDelaySeconds, failure } = await robots.check(target, signal)
    if (failure !== undefined) throw failure
    if (!isAllowed) {
      // Sites redirect to a challenge, which robots.txt often forbids, in place of a page that it allows.
      if (hops > 0) await gate.refused(host, undefined)
      throw marketplaceFailure('robots', hops > 0 ? `${pathname}, which another page redirects to` : pathname)
    }
    await gate.enter(host, signal, (crawlDelaySeconds ?? 0) * 1000)
    const answer = await send(target)
    if (answer.movedTo === undefined) return answer
    target = answer.movedTo
  }
  throw marketplaceFailure('refused', 'it redirects in a loop')
}

/** All requests for pages go through here: robots.txt, the rate limit, the request, and the judgement of the response. */
export const createPoliteGet = ({ get, gate, robots }: PoliteGetParts): PoliteGet => {
  const judge = async (answer: HttpAnswer): Promise<HttpAnswer> => {
    const { address, retryAfterSeconds } = answer
    const { host } = new URL(address)
    await judgeStatus(gate, answer)
    const challenge = isAbsent(answer) ? undefined : challengeIn(answer)
    if (challenge !== undefined) {
      await gate.refused(host, retryAfterSeconds)
      throw marketplaceFailure('refused', challenge, { retryAfterSeconds })
    }
    await gate.succeeded(host)
    return answer
  }
  return {
    fetchPolitely: async (address, signal, accept) =>
      judge(
        await followPolitely({ gate, robots }, address, signal, (target) => get(target, signal, accept, 'within host')),
      ),
    judge,
  }
}
