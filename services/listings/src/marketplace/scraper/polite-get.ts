import { marketplaceFailure } from '../failures.ts'
import { refusalIn } from '../refusal.ts'
import type { HostGate } from './host-gate.ts'
import type { HttpAnswer, HttpGet } from './http-get.ts'
import type { Robots } from './robots.ts'

export type PoliteGetParts = { readonly get: HttpGet; readonly gate: HostGate; readonly robots: Robots }

export type PoliteGet = {
  /** Asks for an address when it may: robots.txt allows it and it is the host's turn. Only a good or an absent answer comes back. */
  readonly ask: HttpGet
  /** Throws what an answer says of our standing with its host, and notes it there. */
  readonly judge: (answer: HttpAnswer) => Promise<HttpAnswer>
}

/** Statuses by which a host says "not you, not now". */
const refusals = new Set([401, 403, 407, 418, 429, 451, 503])

/** Whether an answer says that there is nothing at its address. */
export const isAbsent = ({ status }: HttpAnswer): boolean => status === 404 || status === 410

/** Scripts and data may carry the words of a challenge and be none. */
const isPage = ({ contentType }: HttpAnswer): boolean => contentType === null || /html|text\/plain/i.test(contentType)

/** Why a page is a challenge, whatever its status; only short ones are, and full pages are read. */
const challengeIn = (answer: HttpAnswer): string | undefined =>
  isPage(answer) && answer.body.length < 150_000 && !/\/itm\/\d/.test(answer.body) ? refusalIn(answer.body) : undefined

/** Everything that is asked of a site goes through here: its rules, its turn, the request, and what the answer means. */
export const createPoliteGet = ({ get, gate, robots }: PoliteGetParts): PoliteGet => {
  const judge = async (answer: HttpAnswer): Promise<HttpAnswer> => {
    const { status, address, retryAfterSeconds } = answer
    const { host } = new URL(address)
    const refuse = async (detail: string) => {
      await gate.refused(host, retryAfterSeconds)
      throw marketplaceFailure('refused', detail, { retryAfterSeconds })
    }
    if (refusals.has(status)) await refuse(`it answered with status ${status}`)
    if (status >= 400 && !isAbsent(answer)) {
      if (status >= 500) await gate.refused(host, retryAfterSeconds)
      throw marketplaceFailure('failed', `it answered with status ${status}`, { retryAfterSeconds })
    }
    const challenge = isAbsent(answer) ? undefined : challengeIn(answer)
    if (challenge !== undefined) await refuse(challenge)
    await gate.succeeded(host)
    return answer
  }
  return {
    ask: async (address, signal, accept) => {
      const { host, pathname } = new URL(address)
      const { isAllowed, crawlDelaySeconds, failure } = await robots.check(address, signal)
      if (failure !== undefined) throw failure
      if (!isAllowed) throw marketplaceFailure('robots', pathname)
      if (crawlDelaySeconds !== undefined) await gate.slowDown(host, crawlDelaySeconds * 1000)
      await gate.enter(host, signal)
      return judge(await get(address, signal, accept))
    },
    judge,
  }
}
