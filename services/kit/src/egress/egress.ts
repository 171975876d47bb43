import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, type RequestInit, type Response, fetch as send } from 'undici'
import { type AddressRules, refusalOfAddress, refusalOfUrl } from './address-rules.ts'
import { connectWith } from './certificate.ts'

/** An address that must not be requested. The message says why, for whoever named it. */
export class EgressRefused extends Error {
  override name = 'EgressRefused'
  /** What was refused: an address, or to go where an answer sends requests on to. */
  readonly what: 'address' | 'redirect'
  constructor(message: string, what: 'address' | 'redirect' = 'address') {
    super(message)
    this.what = what
  }
}

export type EgressResponse = Response

/** Requests to servers of others: language models, trackers, receivers of bundles, marketplaces, the licensing service. */
export type Egress = AsyncDisposable & {
  /**
   * As `fetch`. Connects to allowed addresses only, whatever a name resolves to at that moment, and follows redirects within the same
   * host. Throws EgressRefused, or what `fetch` throws. The body must be read or cancelled.
   */
  fetch: (url: string | URL, init?: EgressInit) => Promise<EgressResponse>
}

export type EgressInit = Omit<RequestInit, 'dispatcher' | 'redirect'> & {
  /** Which certificate is taken over https: one of a public authority (absent or empty), one by its SHA-256 fingerprint, or `any`. */
  certificate?: string
  /** Public addresses only, also where the rules allow private ones. */
  onlyPublic?: boolean
}

/** Resolves names; `dns.lookup` unless a test says otherwise. */
type Lookup = (
  host: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' | undefined; hints?: number | undefined },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export type EgressOptions = AddressRules & {
  /** Bytes of one answer as they are sent; past them it breaks off. Readers bound what they unpack to. */
  maxResponseBytes?: number
  lookup?: Lookup
}

const defaultMaxResponseBytes = 256 * 1024 * 1024
const connectMilliseconds = 10_000
const keepAliveMilliseconds = 10_000

/** Connections by the certificate that they take; it is a setting of which there are few. */
const maxAgents = 8

const maxRedirects = 5

/** Resolves a name and gives up where one of its addresses is not allowed, so that what is checked is what is connected to. */
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

/** What hides behind "fetch failed". */
const refusedWithin = (error: unknown): EgressRefused | undefined => {
  if (error instanceof EgressRefused) return error
  return error instanceof Error && error.cause !== undefined ? refusedWithin(error.cause) : undefined
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

/** Where an answer points to. Throws EgressRefused for another host: what was meant for one server is shown to no other. */
const redirectTarget = (response: Response, from: URL): URL | undefined => {
  const location = isRedirect(response.status) ? response.headers.get('location') : null
  if (location === null || !URL.canParse(location, from)) return undefined
  const to = new URL(location, from)
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  if (to.host === from.host && (to.protocol === from.protocol || isUpgrade)) return to
  throw new EgressRefused(
    `${from.host} redirects to ${to.host}: redirects to another host are not followed.`,
    'redirect',
  )
}

/** The same request again; as GET where the answer asks for that, as browsers understand it. */
const redirected = (init: EgressInit, status: number): EgressInit => {
  if (status === 307 || status === 308 || init.method === undefined || init.method === 'GET') return init
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
      // Ends with the requests in hand.
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
    fetch: async (address, { certificate = '', onlyPublic = false, ...init } = {}) => {
      const applied = onlyPublic ? { ...rules, blockPrivate: true } : rules
      let url = new URL(address)
      let request: EgressInit = init
      const dispatcher = agentFor(certificate, applied)
      for (let hops = 0; hops <= maxRedirects; hops += 1) {
        const refusal = refusalOfUrl(url, applied)
        if (refusal !== undefined) throw new EgressRefused(`${url.host} is refused. ${refusal}`)
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
      throw new EgressRefused(`${url.host} redirects in a circle.`, 'redirect')
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}
