import { serviceError } from '@trellis/kit/errors'
import { isUnchanged } from '@trellis/kit/rpc'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FoundWebApp } from './entry.ts'
import { chooseEncoding, type StaticFile } from './files.ts'
import { pageHeaders } from './policy.ts'

export type PagesOptions = { found: FoundWebApp; mounts: readonly string[]; base: string }

/** Paths of the API and of files, at the root or below a mount: an unknown one is 404, never the page. */
const apiPath = /^(?:\/[^/]+)?\/(?:api|assets|health|openapi\.json)(?:\/|$)|^\/logs\/branches\/[^/]+\/api(?:\/|$)/

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? ''

const send = (request: FastifyRequest, reply: FastifyReply, file: StaticFile) => {
  reply.header('etag', file.etag).header('vary', 'Accept-Encoding')
  if (reply.statusCode === 200 && isUnchanged(file.etag, request.headers['if-none-match']))
    return reply.code(304).send()
  const encoding = chooseEncoding(file, String(request.headers['accept-encoding'] ?? ''))
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(file.type).send((encoding && file.encoded[encoding]) ?? file.plain)
}

const withoutApp = (found: Exclude<FoundWebApp, { kind: 'built' }>) =>
  serviceError(
    'unavailable',
    found.kind === 'missing'
      ? 'The web app has not been built on this server. Start it with "npm start", or set TRELLIS_WEB_DIR. The API is described at /docs.'
      : `The web app of this server cannot be read (${found.reason}). Check the permissions and the files of its folder, which TRELLIS_WEB_DIR names, or build it again with "npm run web". The API is described at /docs.`,
  )

const sendPage = (request: FastifyRequest, reply: FastifyReply, entry: StaticFile) => {
  for (const [name, value] of pageHeaders) reply.header(name, value)
  reply.header('cache-control', 'no-cache')
  return send(request, reply, entry)
}

/** Whether a browser opens an address, in place of a program that calls the API. */
const isNavigation = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')

/** Answers a browser at an unknown path with the web app, which says so, and status 404. Returns false if it is no browser, or there is no build. */
export const sendUnknownPage = (
  found: FoundWebApp | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean => {
  if (found?.kind !== 'built' || !isNavigation(request) || apiPath.test(pathOf(request))) return false
  sendPage(request, reply.code(404), found.app.entry)
  return true
}

/** Registers the web app: its page at every path that the API does not use, and its assets. */
export const registerPages = (server: FastifyInstance, { found, mounts, base }: PagesOptions): void => {
  const page = (request: FastifyRequest, reply: FastifyReply) => {
    if (apiPath.test(pathOf(request))) return reply.callNotFound()
    if (found.kind !== 'built') throw withoutApp(found)
    return sendPage(request, reply, found.app.entry)
  }
  const asset = (request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply) => {
    const file = found.kind === 'built' ? found.app.assets.get(request.params.name) : undefined
    if (!file) return reply.callNotFound()
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return send(request, reply, file)
  }
  // Workers take the policy of their own response, so scripts need it, too.
  const withPolicy = (request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply) => {
    if (request.params.name.endsWith('.js')) for (const [name, value] of pageHeaders) reply.header(name, value)
    return asset(request, reply)
  }
  server.get('/', (_request, reply) => reply.redirect(`${base}/home`))
  for (const path of ['/home', ...mounts]) {
    server.get(path, page)
    server.get(`${path}/*`, page)
  }
  for (const prefix of ['', ...mounts]) server.get(`${prefix}/assets/:name`, withPolicy)
}
