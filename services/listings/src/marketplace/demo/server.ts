import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ApiAnswer, answerApi, isApiPath, isCounted, tokenPath } from './api.ts'
import { changeEvery, findItem, inventoryAt } from './changes.ts'
import { createInventory, type Inventory } from './inventory.ts'
import { createDemoNotifications, type DemoNotifications, failed } from './notifications.ts'
import { frontPage, itemPage, resultsPage } from './pages.ts'
import { drawPhoto } from './photo.ts'
import { searchInventory } from './query.ts'
import { answerScripted } from './scripted.ts'

export type DemoMarketplace = {
  /** The URL it listens on: `http://127.0.0.1:<port>`, or with the configured host. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Longest accepted URL, in characters. */
const longestAddress = 8000
const perPageDefault = 60
const maxPerPage = 240

const robots = 'User-agent: *\nDisallow: /myb/\nDisallow: /sl/\nAllow: /\n'

export type Answer = { readonly status: number; readonly type: string; readonly body: string | Buffer }
const page = (body: string, status = 200): Answer => ({ status, type: 'text/html; charset=utf-8', body })
const notHere = page(
  '<!DOCTYPE html><html><head><title>Error Page</title></head><body><p>There is no such page.</p></body></html>',
  404,
)

const positive = (text: string | null): number | undefined => {
  const number = Number(text ?? '')
  return Number.isFinite(number) && number > 0 ? number : undefined
}

const textOf = (address: URL, name: string): string | undefined => address.searchParams.get(name) || undefined

/** Even pages have the older layout, so that a search of several pages covers both; `_layout` selects one. */
const layoutOf = (address: URL, pageNumber: number): 's-card' | 's-item' => {
  const requested = address.searchParams.get('_layout')
  if (requested === 's-item' || requested === 's-card') return requested
  return pageNumber % 2 === 0 ? 's-item' : 's-card'
}

const searched = (address: URL, inventory: Inventory, now: Date, seller: string | undefined): Answer => {
  const pageNumber = Math.floor(positive(textOf(address, '_pgn') ?? null) ?? 1)
  const words = address.searchParams.get('_nkw') ?? ''
  const results = searchInventory(
    inventory,
    {
      words,
      seller: seller ?? textOf(address, '_ssn'),
      category: textOf(address, '_sacat') === '0' ? undefined : textOf(address, '_sacat'),
      low: positive(address.searchParams.get('_udlo')),
      high: positive(address.searchParams.get('_udhi')),
      isOver: address.searchParams.get('LH_Sold') === '1' || address.searchParams.get('LH_Complete') === '1',
      sort: textOf(address, '_sop'),
    },
    now,
  )
  const perPage = Math.min(maxPerPage, Math.floor(positive(address.searchParams.get('_ipg')) ?? perPageDefault))
  return page(
    resultsPage(results, {
      origin: address.origin,
      now,
      words,
      layout: layoutOf(address, pageNumber),
      pageNumber,
      perPage,
      address,
    }),
  )
}

/** The demo's response to a URL. Pure: the same inventory, URL and time produce the same response. */
export const answer = (address: URL, inventory: Inventory, now: Date, isScripted = false): Answer => {
  if (isScripted) return answerScripted(address, (inner) => answer(inner, inventory, now))
  const { pathname, origin } = address
  if (pathname === '/') return page(frontPage(origin, inventory.active.length))
  if (pathname === '/health') return { status: 200, type: 'text/plain; charset=utf-8', body: 'ok\n' }
  if (pathname === '/robots.txt') return { status: 200, type: 'text/plain; charset=utf-8', body: robots }
  if (pathname === '/sch/i.html') return searched(address, inventory, now, undefined)
  const seller = /^\/(?:sch\/([^/]+)\/m\.html|usr\/([^/]+))$/.exec(pathname)
  if (seller !== null) return searched(address, inventory, now, decodeURIComponent(seller[1] ?? seller[2] ?? ''))
  const photo = /^\/images\/g\/([\w-]{1,80})\/s-l\d+\.png$/.exec(pathname)?.[1]
  if (photo !== undefined) return { status: 200, type: 'image/png', body: drawPhoto(photo) }
  const id = /^\/itm\/(?:[^/]+\/)?(\d+)$/.exec(pathname)?.[1]
  const item = id === undefined ? undefined : findItem(inventory, id, now)
  return item === undefined ? notHere : page(itemPage(item, { origin, now }))
}

/** Longest body of a request for a token, in bytes. */
const longestBody = 8_192

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longestBody) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const jsonAnswer = ({ status, body }: ApiAnswer): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
})

/** The path to which a POST with a `username` deletes the account of a seller: the demo notifies its endpoint, but goes on showing the seller. */
const deletionPath = '/demo/account-deletion'

/** Responds to calls of the demo's API, and counts those of the current day. */
const createApiResponder = ({ publicKey }: DemoNotifications) => {
  const count = { day: '', calls: 0 }
  return async (request: IncomingMessage, address: URL, inventory: Inventory, now: Date): Promise<Answer> => {
    const body = address.pathname === tokenPath ? await readBody(request) : ''
    const day = now.toISOString().slice(0, 10)
    if (count.day !== day) Object.assign(count, { day, calls: 0 })
    if (isCounted(address.pathname)) count.calls += 1
    const answered = answerApi(
      { method: request.method ?? 'GET', address, headers: request.headers, body },
      { inventory, now, calls: count.calls, publicKey },
    )
    return jsonAnswer(answered)
  }
}

/**
 * The inventory at a time, which changes every quarter of an hour. Sellers' ages count from the day, so they do not depend on when the server started.
 */
const createInventories = (seed: number): ((now: Date) => Inventory) => {
  let base: { readonly day: string; readonly inventory: Inventory } | undefined
  let current: { readonly time: number; readonly inventory: Inventory } | undefined
  return (now) => {
    const day = now.toISOString().slice(0, 10)
    const time = Math.floor(now.getTime() / changeEvery)
    if (current?.time === time) return current.inventory
    if (base?.day !== day) base = { day, inventory: createInventory({ seed, now: new Date(day) }) }
    current = { time, inventory: inventoryAt(base.inventory, now) }
    return current.inventory
  }
}

const listen = async (server: Server, port: number, host: string): Promise<void> => {
  server.listen(port, host)
  await once(server, 'listening')
}

/** Listens on a port if it is free, else on any other one. */
const listenNear = async (server: Server, port: number, host: string): Promise<void> => {
  try {
    await listen(server, port, host)
  } catch {
    await listen(server, 0, host)
  }
}

/**
 * Starts the built-in demo marketplace, by default on the loopback interface: generated listings in the structure of real
 * pages, so that everything works without any other site. All instances, whenever they were started, return the same response
 * to the same URL at the same moment. It stops with `close` or the signal.
 */
export const startDemoMarketplace = async ({
  seed = 1,
  host = '127.0.0.1',
  port = 0,
  preferredPort,
  clock = () => new Date(),
  isScripted = false,
  notificationEndpoint,
  signal,
}: {
  readonly seed?: number
  readonly host?: string
  readonly port?: number
  /** The port if it is free, else any other one; in place of `port`. */
  readonly preferredPort?: number
  readonly clock?: () => Date
  /** Whether pages are empty until their scripts have fetched the content. */
  readonly isScripted?: boolean
  /** Where notifications of deleted accounts are sent; undefined: nowhere. */
  readonly notificationEndpoint?: string | undefined
  readonly signal?: AbortSignal
} = {}): Promise<DemoMarketplace> => {
  const inventoryNow = createInventories(seed)
  const notifications = createDemoNotifications(notificationEndpoint)
  const respondApi = createApiResponder(notifications)
  const answerTo = async (request: IncomingMessage, address: URL): Promise<Answer> => {
    const now = clock()
    const inventory = inventoryNow(now)
    if (isApiPath(address.pathname)) return respondApi(request, address, inventory, now)
    if (address.pathname !== deletionPath || request.method !== 'POST')
      return answer(address, inventory, now, isScripted)
    // Browsers send an origin with every POST of a page, and no page may delete what is stored for an account.
    if (request.headers.origin !== undefined) return jsonAnswer(failed(403, 'A web page may not delete an account.'))
    return jsonAnswer(await notifications.deleteAccount(address.searchParams.get('username') ?? '', inventory, now))
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? '/'
    const origin = `http://${request.headers.host ?? '127.0.0.1'}`
    const readable = target.length <= longestAddress && URL.canParse(target, origin)
    const address = readable ? new URL(target, origin) : undefined
    const { status, type, body } = address === undefined ? notHere : await answerTo(request, address)
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  const server = createServer((request, response) => {
    // A client that leaves in mid-body ends its request.
    respond(request, response).catch(() => response.destroy())
  })
  // A connection that cannot be accepted, as when files run out, ends nothing.
  server.on('error', () => undefined)
  await (preferredPort === undefined ? listen(server, port, host) : listenNear(server, preferredPort, host))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  signal?.addEventListener('abort', () => void close(), { once: true })
  // `server.listen` on a host and port always has an address of this form.
  const { port: bound } = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, close }
}
