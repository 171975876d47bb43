import { gzipSync } from 'node:zlib'
import { document, type Route, routes } from '../conformance/document.ts'
import { tune } from '../support/tune.ts'

/** One request as it goes over the wire. */
export type RawRequest = { name: string; route: Route; head: Buffer; body: Buffer; isUpload: boolean }

/** Ids of things that are there, by route prefix and parameter; what is not named gets the document's example. */
export type Fixtures = { values: Record<string, string>; headers: Record<string, string>; branchKey: string }

const boundary = 'abort-matrix'
const padding = 48 * 1024

const part = (name: string, filename: string, content: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="note"\r\n\r\nx\r\n--${boundary}\r\n` +
        `content-disposition: form-data; name="${name}"; filename="${filename}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])

const logLines = (count: number) =>
  Array.from({ length: count }, (_, index) => `2026-03-01T09:15:02Z host app[7]: line ${index} of many`).join('\n')

const forms: Record<string, () => Buffer> = {
  '/logs/api/ingest/upload': () => part('file', 'app.log', Buffer.from(logLines(8_000))),
  '/logs/api/context/docs/upload': () => part('file', 'notes.md', Buffer.from(`# Notes\n${logLines(1_000)}`)),
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

/** White space after a value is no part of it, and makes a body of several packets. */
const padded = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) + ' '.repeat(padding))

type Body = { type: string; content: Buffer }

const bodiesOf = ({ path, operation }: Route): Body[] =>
  Object.entries(operation.requestBody?.content ?? {}).map(([type, { example, schema }]) => {
    if (type === 'multipart/form-data')
      return {
        type: `${type}; boundary=${boundary}`,
        content: (forms[path] ?? (() => part('file', 'x', Buffer.from('x'))))(),
      }
    const isMessage = type === 'application/json' && schema !== undefined && Object.keys(schema).length > 0
    return { type, content: isMessage ? padded(example) : (contents[type] ?? (() => Buffer.from('x')))() }
  })

/** Bodies that a service reads while they arrive. */
const isUpload = ({ operation }: Route) =>
  Object.entries(operation.requestBody?.content ?? {}).some(
    ([type, { schema }]) => type !== 'application/json' || Object.keys(schema ?? {}).length === 0,
  )

const pathOf = ({ path, method, operation }: Route, { values }: Fixtures): string => {
  const parameters = operation.parameters ?? []
  const filled = path.replaceAll(/\{([a-z0-9_]+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example
    // What is there stays there: other requests need it.
    const value = method === 'DELETE' ? undefined : (values[`${path} ${name}`] ?? values[name])
    return encodeURIComponent(value ?? String(example ?? 'x'))
  })
  const query = new URLSearchParams(
    parameters
      .filter(({ in: place, required, example }) => place === 'query' && (required || example !== undefined))
      .map(({ name, example }) => [name, String(example ?? 'x')]),
  ).toString()
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

const headOf = (route: Route, fixtures: Fixtures, headers: Record<string, string>): Buffer => {
  const key = route.path.startsWith('/logs/branches/') ? { authorization: `Bearer ${fixtures.branchKey}` } : {}
  const all = { host: 'localhost', ...fixtures.headers, ...key, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${route.method} ${pathOf(route, fixtures)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
}

/** Every route with every body that it takes: with its length, as gzip, in chunks, and both. */
export const rawRequests = (fixtures: Fixtures): RawRequest[] =>
  routes.flatMap((route) => {
    const common = { route, isUpload: isUpload(route) }
    const title = `${route.method} ${route.path}`
    const bodies = bodiesOf(route)
    if (bodies.length === 0)
      return [{ ...common, name: title, head: headOf(route, fixtures, {}), body: Buffer.alloc(0) }]
    return bodies.flatMap(({ type, content }) => {
      const packed = gzipSync(content)
      const sized = (body: Buffer) => ({ 'content-type': type, 'content-length': String(body.length) })
      const inChunks = { 'content-type': type, 'transfer-encoding': 'chunked' }
      const gzip = { 'content-encoding': 'gzip' }
      const named = (how: string) => `${title} (${type.split(';')[0]}, ${how})`
      return [
        { ...common, name: named('sized'), head: headOf(route, fixtures, sized(content)), body: content },
        { ...common, name: named('gzip'), head: headOf(route, fixtures, { ...sized(packed), ...gzip }), body: packed },
        { ...common, name: named('chunked'), head: headOf(route, fixtures, inChunks), body: chunked(content) },
        {
          ...common,
          name: named('chunked gzip'),
          head: headOf(route, fixtures, { ...inChunks, ...gzip }),
          body: chunked(packed),
        },
      ]
    })
  })

export const routeCount = Object.values(document.paths).flatMap((operations) => Object.keys(operations)).length
