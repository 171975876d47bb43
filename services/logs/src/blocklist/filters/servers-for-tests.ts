import { type Certificate, startHttpServer } from '@trellis/test/support/http-server'

/** A request as the server received it. */
export type Seen = {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
  headers: Record<string, unknown>
}
export type Reply = { status: number; json?: unknown; text?: string }
type Answer = (request: Seen) => Reply

export type FakeServer = AsyncDisposable & { url: string; seen: Seen[] }

const listening = async (answer: Answer, certificate?: Certificate): Promise<FakeServer> => {
  const seen: Seen[] = []
  const server = await startHttpServer(({ method, url, headers, text: sent }) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://x')
    const one = { method, path, query, body: sent === '' ? undefined : JSON.parse(sent), headers }
    seen.push(one)
    const { status, json, text = '' } = answer(one)
    return json === undefined
      ? { status, headers: { 'content-type': 'text/html' }, body: text }
      : { status, body: json }
  }, certificate)
  return { ...server, seen }
}

export type FakePihole6 = FakeServer & {
  /** Domains and whether they are enabled. */
  denied: Map<string, boolean>
  sessions: Set<string>
  /** Drops all sessions, as a restart does. */
  restart: () => void
  /** Replaces every response until it is undefined again. */
  override: { reply: Reply | undefined }
}

/** Responds as the API of Pi-hole 6 does (FTL 6.0), as far as block lists need it. */
export const startPihole6 = async (
  password: string,
  { seats = 2, certificate }: { seats?: number; certificate?: Certificate } = {},
): Promise<FakePihole6> => {
  const denied = new Map<string, boolean>()
  const sessions = new Set<string>()
  const override: { reply: Reply | undefined } = { reply: undefined }
  let opened = 0
  const error = (status: number, key: string, message: string, hint: string | null = null): Reply => ({
    status,
    json: { error: { key, message, hint }, took: 0.0001 },
  })
  const authenticate = ({ method, body, headers }: Seen): Reply => {
    if (method === 'DELETE')
      return sessions.delete(String(headers['x-ftl-sid']))
        ? { status: 204 }
        : error(404, 'not_found', 'No such session')
    if (password === '')
      return {
        status: 200,
        json: { session: { valid: true, totp: false, sid: null, validity: -1, message: 'no password set' } },
      }
    if ((body as { password?: string }).password !== password)
      return {
        status: 401,
        json: { session: { valid: false, totp: false, sid: null, validity: -1, message: 'password incorrect' } },
      }
    if (sessions.size >= seats)
      return error(429, 'api_seats_exceeded', 'API seats exceeded', 'Increase webserver.api.max_sessions')
    const sid = `sid-${++opened}+/=`
    sessions.add(sid)
    return {
      status: 200,
      json: { session: { valid: true, totp: false, sid, csrf: 'c', validity: 1800, message: 'correct password' } },
    }
  }
  const domains = ({ method, path, body }: Seen): Reply => {
    const [, named = ''] = /^\/api\/domains\/deny\/exact\/(.+)$/.exec(path) ?? []
    const domain = decodeURIComponent(named)
    const shown = (name: string) => ({ domain: name, type: 'deny', kind: 'exact', enabled: denied.get(name) })
    if (method === 'GET') return { status: 200, json: { domains: denied.has(domain) ? [shown(domain)] : [] } }
    if (method === 'DELETE') return denied.delete(domain) ? { status: 204 } : error(404, 'not_found', 'Item not found')
    const { domain: target = domain, enabled = true } = body as { domain?: string; enabled?: boolean }
    if (method === 'PUT') denied.set(target, enabled)
    else if (denied.has(target)) {
      const errors = [{ item: target, error: 'UNIQUE constraint failed: domainlist.domain, domainlist.type' }]
      return { status: 201, json: { domains: [], processed: { success: [], errors } } }
    } else if (!target.includes('.')) return error(400, 'bad_request', 'Invalid domain', target)
    else denied.set(target, enabled)
    return { status: 201, json: { domains: [shown(target)], processed: { success: [{ item: target }], errors: [] } } }
  }
  const server = await listening((request) => {
    if (override.reply) return override.reply
    if (request.path === '/api/auth') return authenticate(request)
    if (password !== '' && !sessions.has(String(request.headers['x-ftl-sid'])))
      return error(401, 'unauthorized', 'Unauthorized')
    if (request.path === '/api/dns/blocking') return { status: 200, json: { blocking: 'enabled', timer: null } }
    return request.path.startsWith('/api/domains/') ? domains(request) : error(404, 'not_found', 'Not found')
  }, certificate)
  return { ...server, denied, sessions, override, restart: () => sessions.clear() }
}

/** Responds as /admin/api.php of Pi-hole 5 does: 200 to everything, and an empty list to a wrong token. */
export const startPihole5 = async (token: string) => {
  const denied = new Set<string>()
  const server = await listening(({ path, query }) => {
    if (path !== '/admin/api.php') return { status: 404, text: '<html>404</html>' }
    if (query.get('auth') !== token) return { status: 200, json: [] }
    if (query.has('status')) return { status: 200, json: { status: 'enabled' } }
    const [add, sub] = [query.get('add'), query.get('sub')]
    if (query.get('list') !== 'black') return { status: 200, json: [] }
    if (add !== null) {
      if (!add.includes('.')) return { status: 200, json: { success: false, message: `${add} is not a valid domain` } }
      const message = denied.has(add) ? `Not adding ${add} as it is already on the list` : `Added ${add}`
      denied.add(add)
      return { status: 200, json: { success: true, message } }
    }
    if (sub !== null) {
      const wasThere = denied.delete(sub)
      return {
        status: 200,
        json: wasThere
          ? { success: true, message: null }
          : { success: false, message: `${sub} does not exist on the list` },
      }
    }
    return { status: 200, json: { data: [...denied].map((domain) => ({ domain })) } }
  })
  return { ...server, denied }
}

/** Responds as /control of AdGuard Home 0.107 does. */
export const startAdguard = async (user: string, password: string) => {
  const state = {
    rules: ['! by hand', '||old.example^'] as string[] | null,
    /** How many of our next writes a concurrent writer reverts. */
    overwritten: 0,
    reason: undefined as string | undefined,
  }
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const server = await listening(({ path, query, body, headers }) => {
    if (headers.authorization !== expected) return { status: 401, text: 'Unauthorized' }
    if (path === '/control/status')
      return { status: 200, json: { version: 'v0.107.52', protection_enabled: true, running: true } }
    if (path === '/control/filtering/status')
      return { status: 200, json: { enabled: true, filters: [], user_rules: state.rules } }
    if (path === '/control/filtering/set_rules') {
      if (state.overwritten > 0) state.overwritten -= 1
      else state.rules = (body as { rules: string[] }).rules
      return { status: 200, text: '' }
    }
    if (path === '/control/filtering/check_host') {
      const isBlocked = state.rules?.includes(`||${query.get('name')}^`)
      return {
        status: 200,
        json: { reason: state.reason ?? (isBlocked ? 'FilteredBlackList' : 'NotFilteredNotFound'), rules: [] },
      }
    }
    return { status: 404, text: '404 page not found' }
  })
  return { ...server, state }
}

/** A server that sends the same response to every request. */
export const startFixedServer = (reply: Reply) => listening(() => reply)
