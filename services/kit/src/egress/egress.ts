import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, type RequestInit, type Response, fetch as send } from 'undici'
import { type AddressRules, refusalOfAddress, refusalOfUrl } from './address-rules.ts'
import { connectWith } from './certificate.ts'

/** A request to a blocked address or redirect. The message states the reason, for the user who configured the address. */
export class EgressRefused extends Error {
  override name = 'EgressRefused'
  /** What was refused: the address of the request, or a redirect. */
  readonly what: 'address' | 'redirect'
  /** The target of a redirect to another host. */
  readonly movedTo: string | undefined
  constructor(message: string, what: 'address' | 'redirect' = 'address', movedTo?: string) {
    super(message)
    this.what = what
    this.movedTo = movedTo
  }
}

export type EgressResponse = Response

/** Requests to external servers: language models, trackers, receivers of bundles, marketplaces, the licensing service. */
export type Egress = AsyncDisposable & {
  /**
   * Like the global `fetch`. Checks the addresses that a name resolves to at the time of the connection, and follows redirects within
   * the same host only. Throws EgressRefused, or what `fetch` throws. The body must be read or cancelled.
   */
  fetch: (url: string | URL, init?: EgressInit) => Promise<EgressResponse>
}

export type EgressInit = Omit<RequestInit, 'dispatcher' | 'redirect'> & {
  /** The accepted certificate over https: from a public authority (absent or empty), by its SHA-256 fingerprint, or `any`. */
  certificate?: string
  /** Returns a redirect that would turn the request into a GET without its body (301, 302 and 303), instead of following it. */
  keepsMethod?: boolean
  /** Returns redirects instead of following them, for the caller to decide: those within the host, or those to any host. */
  returnsRedirects?: 'within host' | 'to any host'
  /** Restricts the request to public addresses, even if the rules allow private ones. */
  onlyPublic?: boolean
}

/** Resolves names; `dns.lookup` except in tests. */
type Lookup = (
  host: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' | undefined; hints?: number | undefined },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export type EgressOptions = AddressRules & {
  /** Maximum bytes of a response on the wire, past which it is aborted. Readers must bound the decompressed size themselves. */
  maxResponseBytes?: number
  lookup?: Lookup
}

const defaultMaxResponseBytes = 256 * 1024 * 1024
const connectMilliseconds = 10_000
const keepAliveMilliseconds = 10_000

/** Maximum agents, one per accepted certificate and rule set; there are few. */
const maxAgents = 8

const maxRedirects = 5

/** Resolves a name, and fails if one of its addresses is not allowed. The connection uses it, so the checked address is the one connected to. */
export const checkedLookup =
  (rules: AddressRules, lookup: Lookup = systemLookup): LookupFunction =>
  (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0)
      for (const { address } of addresses) {
        const refusal = refusalOfAddress(address, rules)
        if (refusal !== undefined) return done(new EgressRefused(`${host} is at ${address}. ${refusal}`), '', 0)
      }
      const [first] = addresses
      if (options.all) return done(null, addresses as never)
      return first ? done(null, first.address, first.family) : done(new Error(`${host} has no address.`), '', 0)
    })
  }

/** Finds an EgressRefused in the causes of a "fetch failed" error. */
const refusedWithin = (error: unknown): EgressRefused | undefined => {
  if (error instanceof EgressRefused) return error
  return error instanceof Error && error.cause !== undefined ? refusedWithin(error.cause) : undefined
}

/** Whether a status redirects a request to its Location. */
export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The target of a redirect. Throws EgressRefused for another host, so that no data for one server is sent to another. */
const redirectTarget = (response: Response, from: URL): URL | undefined => {
  const location = isRedirect(response.status) ? response.headers.get('location') : null
  if (location === null || !URL.canParse(location, from)) return undefined
  const to = new URL(location, from)
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    throw new EgressRefused(`${from.host} redirects to an address that is neither http nor https.`, 'redirect')
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  if (to.host === from.host && (to.protocol === from.protocol || isUpgrade)) return to
  throw new EgressRefused(
    `${from.host} redirects to ${to.host}: redirects to another host are not followed.`,
    'redirect',
    to.href,
  )
}

/** Whether a redirect converts a request to GET, as browsers do. */
const losesBody = ({ method = 'GET' }: EgressInit, status: number): boolean =>
  method !== 'GET' && status !== 307 && status !== 308

/** The request after a redirect: repeated, or converted to GET for 301, 302 and 303, as browsers do. */
const redirected = (init: EgressInit, status: number): EgressInit => {
  if (!losesBody(init, status)) return init
  const { body: _body, ...rest } = init
  return { ...rest, method: 'GET' }
}

export const createEgress = ({
  maxResponseBytes = defaultMaxResponseBytes,
  lookup,
  ...rules
}: EgressOptions): Egress => {
  const agents = new Map<string, Agent>()
  const agentFor = (certificate: string, applied: AddressRules): Agent => {
    const key = `${applied.blockPrivate} ${certificate}`
    const known = agents.get(key)
    if (known) return known
    const [oldest] = agents
    if (oldest && agents.size >= maxAgents) {
      agents.delete(oldest[0])
      // Closes once its pending requests are done.
      void oldest[1].close()
    }
    const connect = connectWith(certificate, {
      lookup: checkedLookup(applied, lookup),
      timeout: connectMilliseconds,
    })
    const agent = new Agent({ connect, keepAliveTimeout: keepAliveMilliseconds, maxResponseSize: maxResponseBytes })
    agents.set(key, agent)
    return agent
  }
  return {
    fetch: async (
      address,
      { certificate = '', keepsMethod = false, returnsRedirects, onlyPublic = false, ...init } = {},
    ) => {
      const applied = onlyPublic ? { ...rules, blockPrivate: true } : rules
      let url = new URL(address)
      let request: EgressInit = init
      const dispatcher = agentFor(certificate, applied)
      for (let hops = 0; hops <= maxRedirects; hops += 1) {
        const refusal = refusalOfUrl(url, applied)
        if (refusal !== undefined) throw new EgressRefused(`${url.host} is not allowed. ${refusal}`)
        let response: Response
        try {
          response = await send(url, { ...request, dispatcher, redirect: 'manual' })
        } catch (error) {
          throw refusedWithin(error) ?? error
        }
        let target: URL | undefined
        try {
          target = returnsRedirects === 'to any host' ? undefined : redirectTarget(response, url)
        } finally {
          if (isRedirect(response.status)) await response.body?.cancel()
        }
        const isReturned = returnsRedirects !== undefined || (keepsMethod && losesBody(request, response.status))
        if (!target || isReturned) return response
        request = redirected(request, response.status)
        url = target
      }
      throw new EgressRefused(`${url.host} redirects in a loop.`, 'redirect')
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}
