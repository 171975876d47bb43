import { gzipSync } from 'node:zlib'
import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { acceptsGzip } from '../transcode/json-answer.ts'
import { mountDocument, type OpenApi } from './openapi.ts'

const sendJson = (server: FastifyInstance, url: string, document: OpenApi) => {
  const text = JSON.stringify(document)
  let compressed: Buffer | undefined
  server.get(url, (request, reply) => {
    reply.type('application/json; charset=utf-8').header('vary', 'Accept-Encoding')
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(text)
    compressed ??= gzipSync(text)
    return reply.header('content-encoding', 'gzip').send(compressed)
  })
}

/**
 * The policy of `/docs`. It replaces the default of the plugin, whose `upgrade-insecure-requests` has browsers request the files of
 * the page by HTTPS, which fails at an address of a local network that is served without a certificate.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Registers `/openapi.json`, a document for each mount, and `/docs`, which renders the whole. `base` is the path of `EDGE_URL`. */
export const registerDocs = async (
  server: FastifyInstance,
  contract: OpenApi,
  mounts: readonly string[],
  base = '',
): Promise<void> => {
  const document = { ...contract, servers: [{ url: base || '/' }] }
  sendJson(server, '/openapi.json', document)
  for (const mount of mounts) sendJson(server, `${mount}/openapi.json`, mountDocument(document, mount))
  await server.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
  await server.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    indexPrefix: base,
    staticCSP: contentSecurityPolicy,
    uiConfig: { urls: [{ url: `${base}/openapi.json`, name: 'Trellis' }], docExpansion: 'none' } as object,
    logo: { type: 'image/svg+xml', content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  })
}
