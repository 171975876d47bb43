import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { families } from './catalogue.ts'
import { frontPage, itemPage, resultsPage } from './pages.ts'
import { searchWorld } from './query.ts'
import { answerScripted } from './scripted.ts'
import { createWorld, type World } from './world.ts'

export type DemoMarketplace = {
  /** Where it listens: `http://127.0.0.1:<port>`, or whichever host it was given. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Longest address that is answered, in characters. */
const longestAddress = 8000
const perPageDefault = 60
const mostPerPage = 240

const robots = 'User-agent: *\nDisallow: /myb/\nDisallow: /sl/\nAllow: /\n'

export type Answer = { readonly status: number; readonly type: string; readonly body: string }
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

/** Even pages come in the older layout, so that a search of several pages meets both; `_layout` chooses one. */
const layoutOf = (address: URL, pageNumber: number): 's-card' | 's-item' => {
  const asked = address.searchParams.get('_layout')
  if (asked === 's-item' || asked === 's-card') return asked
  return pageNumber % 2 === 0 ? 's-item' : 's-card'
}

const searched = (address: URL, world: World, now: Date, seller: string | undefined): Answer => {
  const pageNumber = Math.floor(positive(textOf(address, '_pgn') ?? null) ?? 1)
  const words = address.searchParams.get('_nkw') ?? ''
  const results = searchWorld(
    world,
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
  const perPage = Math.min(mostPerPage, Math.floor(positive(address.searchParams.get('_ipg')) ?? perPageDefault))
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

/** A picture of its own for every photo id: a tinted tile, the same at every size. */
const picture = (photo: string): Answer => {
  const hash = [...photo].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0, 7)
  const hue = (families[hash % families.length]?.hue ?? 0) + (hash % 23)
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="hsl(${hue} 45% 88%)"/><circle cx="${25 + (hash % 50)}" cy="${25 + ((hash >> 6) % 50)}" r="${14 + ((hash >> 12) % 18)}" fill="hsl(${hue} 45% 55%)"/><rect x="${10 + ((hash >> 4) % 40)}" y="62" width="${20 + ((hash >> 8) % 40)}" height="16" rx="4" fill="hsl(${hue} 50% 35%)"/></svg>`
  return { status: 200, type: 'image/svg+xml', body }
}

/** What the demo answers to an address. Pure: the same world, address and moment give the same answer. */
export const answer = (address: URL, world: World, now: Date, isScripted = false): Answer => {
  if (isScripted) return answerScripted(address, (inner) => answer(inner, world, now))
  const { pathname, origin } = address
  if (pathname === '/') return page(frontPage(origin, world.active.length))
  if (pathname === '/health') return { status: 200, type: 'text/plain; charset=utf-8', body: 'ok\n' }
  if (pathname === '/robots.txt') return { status: 200, type: 'text/plain; charset=utf-8', body: robots }
  if (pathname === '/sch/i.html') return searched(address, world, now, undefined)
  const seller = /^\/(?:sch\/([^/]+)\/m\.html|usr\/([^/]+))$/.exec(pathname)
  if (seller !== null) return searched(address, world, now, decodeURIComponent(seller[1] ?? seller[2] ?? ''))
  const photo = /^\/images\/g\/([\w-]+)\/s-l\d+\.svg$/.exec(pathname)?.[1]
  if (photo !== undefined) return picture(photo)
  const id = /^\/itm\/(?:[^/]+\/)?(\d+)$/.exec(pathname)?.[1]
  const item =
    id === undefined
      ? undefined
      : (world.active.find((one) => one.id === id) ?? world.over.find((one) => one.id === id))
  return item === undefined ? notHere : page(itemPage(item, { origin, now }))
}

/** The world as it is on a day: its sellers' ages are counted from there, so they do not depend on when a server was started. */
const createWorldOfDay = (seed: number): ((now: Date) => World) => {
  let [made, world]: [string, World | undefined] = ['', undefined]
  return (now) => {
    const day = now.toISOString().slice(0, 10)
    if (world === undefined || made !== day) [made, world] = [day, createWorld({ seed, now: new Date(day) })]
    return world
  }
}

/**
 * Starts the built-in demo marketplace, on the loopback interface unless told: generated listings in the real pages' structure,
 * so that everything works without any other site. Any number of them, whenever they were started, give the same answer to the
 * same address at the same moment. It ends with `close` or the signal.
 */
export const startDemoMarketplace = async ({
  seed = 1,
  host = '127.0.0.1',
  port = 0,
  clock = () => new Date(),
  isScripted = false,
  signal,
}: {
  readonly seed?: number
  readonly host?: string
  readonly port?: number
  readonly clock?: () => Date
  /** Whether pages are empty until their scripts have fetched what belongs there. */
  readonly isScripted?: boolean
  readonly signal?: AbortSignal
} = {}): Promise<DemoMarketplace> => {
  const worldNow = createWorldOfDay(seed)
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? '/'
    const origin = `http://${request.headers.host ?? '127.0.0.1'}`
    const readable = target.length <= longestAddress && URL.canParse(target, origin)
    const { status, type, body } = readable
      ? answer(new URL(target, origin), worldNow(clock()), clock(), isScripted)
      : notHere
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  const server = createServer(respond)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  signal?.addEventListener('abort', () => void close(), { once: true })
  // `server.listen` on a host and port always gives an address of this form.
  const { port: bound } = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, close }
}
