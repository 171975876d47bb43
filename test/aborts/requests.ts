import { gzipSync } from 'node:zlib'
import { document, type Route, routes } from '../conformance/document.ts'
import { tune } from '../support/tune.ts'
import type { Fixture, RequestParts } from './fixtures.ts'

/** A request as raw bytes. */
export type RawRequest = {
  name: string
  route: Route
  head: Buffer
  body: Buffer
  isUpload: boolean
  /** Creates a new resource and returns the same request for it; undefined if the request consumes nothing. */
  renew?: () => Promise<RawRequest>
}

export type Fixtures = {
  /** Ids of existing resources by parameter name; other parameters get the document's example. */
  values: Record<string, string>
  headers: Record<string, string>
  branchKey: string
  /** Fixtures by method and path. */
  routes: Record<string, Fixture | Fixture[]>
}

const boundary = 'abort-matrix'
const padding = 48 * 1024

const part = (name: string, filename: string, content: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])

const logLines = (count: number) =>
  Array.from({ length: count }, (_, index) => `2026-03-01T09:15:02Z host app[7]: line ${index} of many`).join('\n')

const forms: Record<string, () => Buffer> = {
  '/logs/api/ingest/upload': () => part('file', 'app.log', Buffer.from(logLines(8_000))),
  '/logs/api/context/docs/upload': () => part('file', 'notes.md', Buffer.from(`# Notes\n${logLines(1_000)}`)),
  '/listings/api/blocklist/import': () =>
    part('file', 'list.csv', Buffer.from(`platform_seller_id,username\n${'seller,Seller\n'.repeat(5_000)}`)),
  '/music/api/chains': () => part('file', 'tune.wav', tune({ seconds: 6 })),
}

const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: `entry ${index}`, timestamp_iso: '2026-03-01T09:15:02Z' }))

const contents: Record<string, () => Buffer> = {
  'application/json': () => Buffer.from(JSON.stringify({ source_id: 'abort-matrix', entries: entries(500) })),
  'application/x-ndjson': () =>
    Buffer.from(
      entries(500)
        .map((entry) => JSON.stringify(entry))
        .join('\n'),
    ),
  'text/plain': () => Buffer.from('A notification.'.repeat(500)),
  'application/x-www-form-urlencoded': () => Buffer.from(`title=x&message=${'y'.repeat(2_000)}`),
}

const exampleOf = (path: string): unknown =>
  document.paths[path]?.post?.requestBody?.content['application/json']?.example

const contentsOfRoutes: Record<string, Record<string, () => Buffer>> = {
  '/logs/api/bundles': { 'application/json': () => Buffer.from(JSON.stringify(exampleOf('/logs/api/bundles'))) },
  '/listings/api/marketplace/account-deletion': {
    'application/json': () => Buffer.from(JSON.stringify(exampleOf('/listings/api/marketplace/account-deletion'))),
  },
  '/logs/api/ingest/media-monitor': {
    'text/plain': () => Buffer.from(JSON.stringify({ title: 'x', message: 'y'.repeat(2_000) })),
  },
}

/** JSON followed by insignificant white space, so that the body takes several packets. */
const padded = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) + ' '.repeat(padding))

type Body = { type: string; content: Buffer }

const bodiesOf = ({ path, operation }: Route, requestParts: RequestParts): Body[] =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { example, schema }]) => {
    if (type === 'multipart/form-data')
      return {
        type: `${type}; boundary=${boundary}`,
        content: (forms[path] ?? (() => part('file', 'x', Buffer.from('x'))))(),
      }
    const isMessage = type === 'application/json' && schema !== undefined && Object.keys(schema).length > 0
    if (isMessage) return { type, content: padded(requestParts.body ?? example) }
    const written = contentsOfRoutes[path]?.[type] ?? contents[type]
    return { type, content: written?.() ?? Buffer.from('x') }
  })

/** Whether the service streams the body of a route. */
const isUpload = ({ operation }: Route) =>
  Object.entries(operation.requestBody?.content ?? {}).some(
    ([type, { schema }]) => type !== 'application/json' || Object.keys(schema ?? {}).length === 0,
  )

const pathOf = ({ path, method, operation }: Route, { values }: Fixtures, requestParts: RequestParts): string => {
  const parameters = operation.parameters ?? []
  const filled = path.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example
    // Shared resources are not deleted, because other requests need them.
    const shared = method === 'DELETE' ? undefined : values[name]
    return encodeURIComponent(requestParts.path?.[name] ?? shared ?? String(example ?? 'x'))
  })
  const examples = parameters
    .filter(({ in: place, required, example }) => place === 'query' && (required || example !== undefined))
    .map(({ name, example }) => [name, String(example ?? 'x')] as const)
  const query = new URLSearchParams(requestParts.query ?? Object.fromEntries(examples)).toString()
  return query === '' ? filled : `${filled}?${query}`
}

const chunked = (body: Buffer): Buffer => {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += 10_000) {
    const piece = body.subarray(at, at + 10_000)
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/** The name of a route, which is its key in the fixtures. */
export const nameOfRoute = ({ method, path }: Route): string => `${method} ${path}`

type Sent = { route: Route; fixtures: Fixtures; requestParts: RequestParts }

const headOf = ({ route, fixtures, requestParts }: Sent, headers: Record<string, string>): Buffer => {
  const key = route.path.startsWith('/logs/branches/') ? { authorization: `Bearer ${fixtures.branchKey}` } : {}
  const all = { host: 'localhost', ...fixtures.headers, ...key, ...requestParts.headers, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(
    `${route.method} ${pathOf(route, fixtures, requestParts)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`,
  )
}

/** Requests of a route with every body type that it takes: with content-length, chunked, and both gzipped. */
const requestsOf = (sent: Sent): RawRequest[] => {
  const { route, requestParts } = sent
  const common = { route, isUpload: isUpload(route) }
  const title = requestParts.query
    ? `${nameOfRoute(route)}?${new URLSearchParams(requestParts.query)}`
    : nameOfRoute(route)
  const bodies = bodiesOf(route, requestParts)
  if (bodies.length === 0) return [{ ...common, name: title, head: headOf(sent, {}), body: Buffer.alloc(0) }]
  return bodies.flatMap(({ type, content }) => {
    const packed = gzipSync(content)
    const sized = (body: Buffer) => ({ 'content-type': type, 'content-length': String(body.length) })
    const inChunks = { 'content-type': type, 'transfer-encoding': 'chunked' }
    const gzip = { 'content-encoding': 'gzip' }
    const named = (how: string) => `${title} (${type.split(';')[0]}, ${how})`
    return [
      { ...common, name: named('sized'), head: headOf(sent, sized(content)), body: content },
      { ...common, name: named('chunked'), head: headOf(sent, inChunks), body: chunked(content) },
      { ...common, name: named('gzip'), head: headOf(sent, { ...sized(packed), ...gzip }), body: packed },
      { ...common, name: named('chunked gzip'), head: headOf(sent, { ...inChunks, ...gzip }), body: chunked(packed) },
    ]
  })
}

const renewing = (sent: Sent, fresh: () => Promise<RequestParts>): RawRequest[] =>
  requestsOf(sent).map((request, index) => ({
    ...request,
    renew: async () => {
      const made = await fresh()
      return requestsOf({ ...sent, requestParts: { ...sent.requestParts, ...made } })[index] ?? request
    },
  }))

/** Successful requests of every route according to its fixtures, with every body type that it takes. */
export const rawRequests = (fixtures: Fixtures): RawRequest[] =>
  routes.flatMap((route) =>
    [fixtures.routes[nameOfRoute(route)] ?? {}].flat().flatMap(({ fresh, ...requestParts }) => {
      const sent = { route, fixtures, requestParts }
      return fresh ? renewing(sent, fresh) : requestsOf(sent)
    }),
  )
