import { type DnsFilter, type FilterAccess, FilterFailure, type FilterKind } from './dns-filter.ts'
import { at, type FilterRequest, type FilterResponse, messageOf, sendRequest } from './filter-request.ts'

/** The comment of the rules that we add, so that people recognize their origin. */
const comment = 'Blocked by the log service of Trellis'

/** Limits how long disposal waits for the logout. */
const logoutMilliseconds = 3_000

type Session = { sid: string | null }

const refused = (action: string, response: FilterResponse) =>
  new FilterFailure(`Pi-hole refused ${action}: ${messageOf(response)}`)

/** Pi-hole limits concurrent sessions; the seat of a session is free as soon as it is ended. */
const tooMany = (response: FilterResponse) =>
  new FilterFailure(
    `Pi-hole has no free session or accepts no more requests for now: ${messageOf(response)}. End other sessions, or raise webserver.api.max_sessions.`,
  )

const logIn = async (access: FilterAccess, signal: AbortSignal): Promise<Session> => {
  const response = await sendRequest(access, {
    method: 'POST',
    path: '/api/auth',
    json: { password: access.key },
    signal,
  })
  if (response.status === 429) throw tooMany(response)
  const session = at(response.json, 'session')
  if (at(session, 'totp') === true && at(session, 'valid') !== true)
    throw new FilterFailure('Pi-hole requires a second factor: set dns_filter_api_key to an application password.')
  if (response.status === 401 || at(session, 'valid') === false)
    throw new FilterFailure(`Pi-hole rejects the key: ${String(at(session, 'message') ?? 'wrong password')}.`)
  const sid = at(session, 'sid')
  if (response.status !== 200 || at(session, 'valid') !== true || (sid !== null && typeof sid !== 'string'))
    throw new FilterFailure(`This is not Pi-hole 6: ${messageOf(response)}`)
  return { sid }
}

const headersOf = ({ sid }: Session): Record<string, string> => (sid === null ? {} : { 'x-ftl-sid': sid })

/** Pi-hole 6: the API of FTL, with sessions. https://docs.pi-hole.net/api/ */
const open = (access: FilterAccess): DnsFilter => {
  let session: Promise<Session> | undefined
  /** All concurrent requests share one session. */
  const current = (signal: AbortSignal): Promise<Session> => {
    session ??= logIn(access, signal).catch((error: unknown) => {
      session = undefined
      throw error
    })
    return session
  }
  const request = async (options: FilterRequest): Promise<FilterResponse> => {
    for (let attempt = 1; ; attempt += 1) {
      const opened = await current(options.signal)
      const secrets = opened.sid === null ? [] : [opened.sid]
      const response = await sendRequest(access, { ...options, headers: headersOf(opened), secrets })
      if (response.status === 429) throw tooMany(response)
      // The session has expired, or Pi-hole was restarted.
      if (response.status !== 401 || attempt > 1) return response
      session = undefined
    }
  }
  const pathOf = (domain: string) => `/api/domains/deny/exact/${encodeURIComponent(domain)}`
  const find = async (domain: string, signal: AbortSignal): Promise<unknown> => {
    const response = await request({ path: pathOf(domain), signal })
    const domains = at(response.json, 'domains')
    return response.status === 200 && Array.isArray(domains)
      ? domains.find((known: unknown) => at(known, 'domain') === domain)
      : undefined
  }
  return {
    test: async (signal) => {
      const response = await request({ path: '/api/dns/blocking', signal })
      const blocking = at(response.json, 'blocking')
      if (response.status !== 200 || typeof blocking !== 'string') throw refused('the test', response)
      return `Pi-hole 6 accepts the key; blocking is ${blocking}.`
    },
    block: async (domain, signal) => {
      const json = { domain, comment, enabled: true }
      const added = await request({ method: 'POST', path: '/api/domains/deny/exact', json, signal })
      if (added.status !== 200 && added.status !== 201 && added.status !== 400)
        throw refused(`to block ${domain}`, added)
      // Existing domains are reported as `errors` and may be disabled: read the actual state.
      let found = await find(domain, signal)
      if (found !== undefined && at(found, 'enabled') !== true) {
        await request({ method: 'PUT', path: pathOf(domain), json: { comment, enabled: true }, signal })
        found = await find(domain, signal)
      }
      if (at(found, 'enabled') === true) return
      const [problem] = [at(added.json, 'processed', 'errors')].flat()
      const message = at(problem, 'error')
      if (typeof message === 'string') throw new FilterFailure(`Pi-hole refused to block ${domain}: ${message}`)
      throw refused(`to block ${domain}`, added)
    },
    unblock: async (domain, signal) => {
      const response = await request({ method: 'DELETE', path: pathOf(domain), signal })
      if (response.status !== 204 && response.status !== 200 && response.status !== 404)
        throw refused(`to unblock ${domain}`, response)
    },
    [Symbol.asyncDispose]: async () => {
      const opened = await session?.catch(() => undefined)
      session = undefined
      if (!opened?.sid) return
      const signal = AbortSignal.timeout(logoutMilliseconds)
      // If the logout fails, Pi-hole frees the seat after half an hour.
      await sendRequest(access, { method: 'DELETE', path: '/api/auth', headers: headersOf(opened), signal }).catch(
        () => undefined,
      )
    },
  }
}

export const pihole6: FilterKind = { name: 'Pi-hole 6', open }
