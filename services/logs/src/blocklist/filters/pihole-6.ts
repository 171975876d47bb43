import { ask, at, type FilterAnswer, type Question, wordsOf } from './ask.ts'
import { type DnsFilter, type FilterAccess, FilterFailure, type FilterKind } from './dns-filter.ts'

/** The comment at what we block, so that people know where it is from. */
const comment = 'Blocked by the log service of Trellis'

/** Ending a session must not hold up whoever ends. */
const logoutMilliseconds = 3_000

type Session = { sid: string | null }

const refused = (doing: string, answer: FilterAnswer) =>
  new FilterFailure(`Pi-hole refused ${doing}: ${wordsOf(answer)}`)

/** Which of a fixed number of seats is taken is Pi-hole's to say; one that is let go of is free at once. */
const tooMany = (answer: FilterAnswer) =>
  new FilterFailure(
    `Pi-hole has no free session or takes no more requests for now: ${wordsOf(answer)}. End other sessions, or raise webserver.api.max_sessions.`,
  )

const logIn = async (access: FilterAccess, signal: AbortSignal): Promise<Session> => {
  const answer = await ask(access, { method: 'POST', path: '/api/auth', json: { password: access.key }, signal })
  if (answer.status === 429) throw tooMany(answer)
  const session = at(answer.json, 'session')
  if (at(session, 'totp') === true && at(session, 'valid') !== true)
    throw new FilterFailure(
      'Pi-hole asks for a second factor: set dns_filter_api_key to an application password of it.',
    )
  if (answer.status === 401 || at(session, 'valid') === false)
    throw new FilterFailure(`Pi-hole does not take the key: ${String(at(session, 'message') ?? 'wrong password')}.`)
  const sid = at(session, 'sid')
  if (answer.status !== 200 || at(session, 'valid') !== true || (sid !== null && typeof sid !== 'string'))
    throw new FilterFailure(`This is no Pi-hole 6: ${wordsOf(answer)}`)
  return { sid }
}

const headersOf = ({ sid }: Session): Record<string, string> => (sid === null ? {} : { 'x-ftl-sid': sid })

/** Pi-hole 6: the API of FTL, with sessions. https://docs.pi-hole.net/api/ */
const open = (access: FilterAccess): DnsFilter => {
  let session: Promise<Session> | undefined
  /** One session for all requests, whoever asks at the same moment. */
  const current = (signal: AbortSignal): Promise<Session> => {
    session ??= logIn(access, signal).catch((error: unknown) => {
      session = undefined
      throw error
    })
    return session
  }
  const request = async (question: Question): Promise<FilterAnswer> => {
    for (let attempt = 1; ; attempt += 1) {
      const opened = await current(question.signal)
      const secrets = opened.sid === null ? [] : [opened.sid]
      const answer = await ask(access, { ...question, headers: headersOf(opened), secrets })
      if (answer.status === 429) throw tooMany(answer)
      // The session has run out, or Pi-hole was started anew.
      if (answer.status !== 401 || attempt > 1) return answer
      session = undefined
    }
  }
  const pathOf = (domain: string) => `/api/domains/deny/exact/${encodeURIComponent(domain)}`
  const find = async (domain: string, signal: AbortSignal): Promise<unknown> => {
    const answer = await request({ path: pathOf(domain), signal })
    const domains = at(answer.json, 'domains')
    return answer.status === 200 && Array.isArray(domains)
      ? domains.find((known: unknown) => at(known, 'domain') === domain)
      : undefined
  }
  return {
    test: async (signal) => {
      const answer = await request({ path: '/api/dns/blocking', signal })
      const blocking = at(answer.json, 'blocking')
      if (answer.status !== 200 || typeof blocking !== 'string') throw refused('the test', answer)
      return `Pi-hole 6 takes the key; blocking is ${blocking}.`
    },
    block: async (domain, signal) => {
      const json = { domain, comment, enabled: true }
      const added = await request({ method: 'POST', path: '/api/domains/deny/exact', json, signal })
      if (added.status !== 200 && added.status !== 201 && added.status !== 400)
        throw refused(`to block ${domain}`, added)
      // What it had already is in `errors` there, and it may be switched off: what counts is what it has now.
      let kept = await find(domain, signal)
      if (kept !== undefined && at(kept, 'enabled') !== true) {
        await request({ method: 'PUT', path: pathOf(domain), json: { comment, enabled: true }, signal })
        kept = await find(domain, signal)
      }
      if (at(kept, 'enabled') === true) return
      const [problem] = [at(added.json, 'processed', 'errors')].flat()
      const words = at(problem, 'error')
      if (typeof words === 'string') throw new FilterFailure(`Pi-hole refused to block ${domain}: ${words}`)
      throw refused(`to block ${domain}`, added)
    },
    unblock: async (domain, signal) => {
      const answer = await request({ method: 'DELETE', path: pathOf(domain), signal })
      if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404)
        throw refused(`to unblock ${domain}`, answer)
    },
    [Symbol.asyncDispose]: async () => {
      const opened = await session?.catch(() => undefined)
      session = undefined
      if (!opened?.sid) return
      const signal = AbortSignal.timeout(logoutMilliseconds)
      // A seat that cannot be given back frees itself after half an hour.
      await ask(access, { method: 'DELETE', path: '/api/auth', headers: headersOf(opened), signal }).catch(
        () => undefined,
      )
    },
  }
}

export const pihole6: FilterKind = { name: 'Pi-hole 6', open }
