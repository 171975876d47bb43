import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, type RequestInit, type Response, fetch as send } from 'undici'
import { type AddressRules, refusalOfAddress, refusalOfUrl } from './address-rules.ts'
import { connectWith } from './certificate.ts'

/** An address that must not be asked. The message says why, for whoever named it. */
export class UpstreamRefused extends Error {
  override name = 'UpstreamRefused'
}

/** Servers of others that this service asks: a language model, trackers, DNS filters, receivers of bundles. */
export type Upstream = AsyncDisposable & {
  /**
   * As `fetch`. Connects to allowed addresses alone, whatever a name resolves to at that moment, and follows redirects within the same
   * host. Throws UpstreamRefused, or what `fetch` throws. The body must be read or cancelled.
   */
  fetch: (url: string | URL, init?: UpstreamInit) => Promise<Response>
}

export type UpstreamInit = Omit<RequestInit, 'dispatcher' | 'redirect'> & {
  /** Which certificate is taken over https: one of a public authority (absent or empty), one by its SHA-256 fingerprint, or `any`. */
  certificate?: string
}

/** Connections by the certificate that they take; it is a setting of which there are few. */
const mostAgents = 8

const mostRedirects = 5

/** Resolves a name and gives up where one of its addresses is not allowed, so that what is checked is what is connected to. */
export const checkedLookup =
  (rules: AddressRules): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0)
      const addresses = found as LookupAddress[]
      for (const { address } of addresses) {
        const refusal = refusalOfAddress(address, rules)
        if (refusal !== undefined) return done(new UpstreamRefused(`${host} is at ${address}. ${refusal}`), '', 0)
      }
      const [first] = addresses
      if (options.all) return done(null, addresses as never)
      return first ? done(null, first.address, first.family) : done(new Error(`${host} has no address.`), '', 0)
    })
  }

/** What hides behind "fetch failed". */
const refusedWithin = (error: unknown): UpstreamRefused | undefined => {
  if (error instanceof UpstreamRefused) return error
  return error instanceof Error && error.cause !== undefined ? refusedWithin(error.cause) : undefined
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

/** Where an answer points to. Throws UpstreamRefused for another host: what was meant for one server is shown to no other. */
const redirectTarget = (response: Response, from: URL): URL | undefined => {
  const location = isRedirect(response.status) ? response.headers.get('location') : null
  if (location === null || !URL.canParse(location, from)) return undefined
  const to = new URL(location, from)
  if (to.host === from.host && to.protocol === from.protocol) return to
  throw new UpstreamRefused(`${from.host} redirects to ${to.host}: redirects to another host are not followed.`)
}

/** The same request again; as GET where the answer asks for that, as browsers understand it. */
const redirected = (init: UpstreamInit, status: number): UpstreamInit => {
  if (status === 307 || status === 308 || init.method === undefined || init.method === 'GET') return init
  const { body: _body, ...rest } = init
  return { ...rest, method: 'GET' }
}

export const createUpstream = (rules: AddressRules): Upstream => {
  const agents = new Map<string, Agent>()
  const agentFor = (certificate: string): Agent => {
    const known = agents.get(certificate)
    if (known) return known
    const [oldest] = agents
    if (oldest && agents.size >= mostAgents) {
      agents.delete(oldest[0])
      // Ends with the requests in hand.
      void oldest[1].close()
    }
    const connect = connectWith(certificate, { lookup: checkedLookup(rules), timeout: 10_000 })
    const agent = new Agent({ connect, keepAliveTimeout: 10_000 })
    agents.set(certificate, agent)
    return agent
  }
  return {
    fetch: async (address, { certificate = '', ...init } = {}) => {
      let url = new URL(address)
      let request: UpstreamInit = init
      const dispatcher = agentFor(certificate)
      for (let hops = 0; hops <= mostRedirects; hops += 1) {
        const refusal = refusalOfUrl(url, rules)
        if (refusal !== undefined) throw new UpstreamRefused(`${url.host} is refused. ${refusal}`)
        let response: Response
        try {
          response = await send(url, { ...request, dispatcher, redirect: 'manual' })
        } catch (error) {
          throw refusedWithin(error) ?? error
        }
        let target: URL | undefined
        try {
          target = redirectTarget(response, url)
        } finally {
          if (isRedirect(response.status)) await response.body?.cancel()
        }
        if (!target) return response
        request = redirected(request, response.status)
        url = target
      }
      throw new UpstreamRefused(`${url.host} redirects in a circle.`)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}
