import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { serviceError } from '@trellis/kit/errors'
import { anonymous, type TlsFiles } from '@trellis/kit/rpc'
import { type Log, type Metrics, silentLog } from '@trellis/kit/telemetry'
import type { Route } from '@trellis/protos/edge/routes.ts'
import fastify, { type FastifyInstance, type FastifyRequest, type onRequestHookHandler } from 'fastify'
import { createBodyTimeouts } from './admission/body-timeouts.ts'
import { createClientAddress, createCountedClient, isThisMachine } from './admission/client-address.ts'
import { createConcurrencyLimiter } from './admission/concurrency-limiter.ts'
import { connectionLimit } from './admission/connection-limit.ts'
import { createConnectionShare } from './admission/connection-share.ts'
import { type CredentialGuard, createCredentialGuard } from './admission/credential-guard.ts'
import { createFront } from './admission/front.ts'
import { createHostRule } from './admission/host-rule.ts'
import { createOriginRule } from './admission/origin-rule.ts'
import { createRateLimiter } from './admission/rate-limiter.ts'
import { createRouteLimits } from './admission/route-limits.ts'
import { createWriteTimeouts } from './admission/write-timeouts.ts'
import type { EdgeConfig } from './config.ts'
import { type Cors, type CorsRule, createCors } from './cors.ts'
import { registerDocs } from './docs/docs.ts'
import type { OpenApi } from './docs/openapi.ts'
import { answerSlowBody, createServers } from './http-server.ts'
import { createIdentity, localUser } from './identity/identity.ts'
import { createKeyChecks, refusedEndedSession } from './identity/keys.ts'
import { createLicence, type Product } from './identity/licence.ts'
import { refusedSession, sessionToken } from './identity/session-token.ts'
import { createBasePath } from './pages/base-path.ts'
import { readWebApp } from './pages/entry.ts'
import { registerPages, sendUnknownPage } from './pages/pages.ts'
import { createRequestDurations } from './request-durations.ts'
import { securityHeaders } from './security-headers.ts'
import { createHeartbeat } from './stream/heartbeat.ts'
import { answerFailure, brokenRequestAnswer } from './transcode/error-answer.ts'
import { createOrigins } from './transcode/origin.ts'
import { type Backend, type Begin, refuseOtherMethods, registerRoutes } from './transcode/routes.ts'

export type EdgeOptions = {
  config: EdgeConfig
  routes: readonly Route[]
  backends: readonly Backend[]
  /** The document for `/docs`; without it there are no such pages. */
  openapi?: OpenApi
  /** Replaces the comparison with the configured branch key; must take constant time. */
  isBranchKey?: (presented: string) => boolean
  /** Whether a session of the logs service was ended before it expired; without it none was. */
  isSessionEnded?: (id: string) => Promise<boolean>
  /** Reasons why services are unavailable, by name; empty when all are available. */
  missing: () => Record<string, string>
  /** False while the process shuts down after an uncaught error, when it must get no new requests. */
  isReady?: () => boolean
  /** Serves HTTPS with this certificate, and requires client certificates of the same authority. */
  tls?: (() => TlsFiles) | undefined
  log: Log
  metrics: Metrics
}

export type Edge = AsyncDisposable & {
  server: FastifyInstance
  /** Starts listening; returns the URL. */
  listen: (host: string, port: number) => Promise<string>
  openStreams: () => number
}

const requestIdShape = /^[A-Za-z0-9._-]{8,128}$/

/** Creates unique request ids cheaply, from a random prefix and a counter. */
const createRequestIds = () => {
  const start = randomUUID().slice(0, 18)
  let count = 0
  return (received: unknown): string => {
    if (typeof received === 'string' && requestIdShape.test(received)) return received
    count += 1
    return `${start}-${count.toString(36)}`
  }
}

const addCommonHeaders = (
  request: { id: string },
  reply: { header: (name: string, value: unknown) => unknown },
): void => {
  reply.header('x-request-id', request.id)
  for (const [name, value] of securityHeaders) reply.header(name, value)
}

/** Headers of answers that bypass the framework. */
const bareHeaders =
  (requestId: (received: unknown) => string, cors: Cors) =>
  ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): Record<string, string> => ({
    'x-request-id': requestId(headers['x-request-id']),
    ...Object.fromEntries(securityHeaders),
    ...cors.headersOf(url, headers.origin),
  })

const createServer = (
  config: EdgeConfig,
  requestId: (received: unknown) => string,
  serverFactory: (listener: RequestListener) => Server,
  headersOf: ReturnType<typeof bareHeaders>,
) =>
  fastify({
    serverFactory,
    logger: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    bodyLimit: config.maxBodyMegabytes * 1024 * 1024,
    exposeHeadRoutes: true,
    // A request may arrive on an open connection after the shutdown began: it is answered, and its connection closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1_024, ignoreTrailingSlash: false },
    clientErrorHandler: brokenRequestAnswer(headersOf),
    frameworkErrors: (error, request, reply) => {
      addCommonHeaders(request, reply)
      answerFailure(error, request as FastifyRequest, reply as never, silentLog)
    },
  })

const corsRules = (config: EdgeConfig, mounts: readonly string[]): CorsRule[] =>
  mounts.map((mount) => {
    if (mount !== '/music') return { mount, origins: config.corsOrigins }
    return { mount, origins: config.development ? 'any' : config.musicCorsOrigins }
  })

const nothingAt = ({ url, server }: FastifyRequest) => {
  const [path = ''] = url.split('?')
  return serviceError(
    'not_found',
    `There is nothing at ${path.slice(0, 200)}. See ${server.basePath.base}/docs for the API.`,
  )
}

/** Where pages are served, whether their services are available or not: pages report what is missing. */
const pageMounts = ['/listings', '/logs', '/music']

/** Registers `/health` and `/ready`. The edge is ready while any service is available, so that the others stay reachable. */
const registerHealth = (
  server: FastifyInstance,
  { missing: getMissing, isReady = () => true, backends }: EdgeOptions,
) => {
  // A service has several backends, one for each of its definitions.
  const services = new Set(backends.map(({ mount }) => mount)).size
  server.get('/health', () => ({ status: 'ok' }))
  server.get('/ready', (_request, reply) => {
    const missing = getMissing()
    if (!isReady())
      return reply
        .code(503)
        .send({ status: 'not ready', missing, detail: 'The server is shutting down after an error.' })
    const count = Object.keys(missing).length
    if (count === 0) return reply.send({ status: 'ready' })
    if (count < services) return reply.send({ status: 'ready in part', missing })
    return reply.code(503).send({ status: 'not ready', missing, detail: 'No service can be reached yet.' })
  })
}

/** Creates the hook that authenticates the requests of a route; undefined for routes without authentication. */
const createAdmission = ({ config, log, isBranchKey, isSessionEnded }: EdgeOptions, guard: CredentialGuard) => {
  const licence = createLicence({ url: config.licenceUrl, token: config.licenceToken, log })
  const identify = createIdentity({ ...config, licence })
  const keys = createKeyChecks({ ...config, isBranchKey })
  return (route: Route): onRequestHookHandler | undefined => {
    const { access } = route
    if (access === 'open') return undefined
    if (access !== 'caller') {
      const check = keys[access](route.session)
      return (request, _reply, done) => {
        // A holder of the key acts as the local user, who represents this installation.
        const session = guard.verify(request.raw, check)
        if (session === undefined) return done()
        request.session = { expiresAt: session.expiresAt * 1_000, refusal: refusedEndedSession }
        if (!isSessionEnded) return done()
        isSessionEnded(session.id).then((isEnded) => done(isEnded ? refusedEndedSession() : undefined), done)
      }
    }
    if (!config.cloudMode) return undefined
    const product: Product = route.path.startsWith('/music/') ? 'music' : 'listings'
    return (request, _reply, done) => {
      const token = sessionToken(request.headers)
      const identified = guard.verifyAsync(request.raw, token, () => identify(request.headers, product))
      identified.then(({ caller, expiresAt }) => {
        request.caller = caller
        if (expiresAt !== undefined) request.session = { expiresAt, refusal: refusedSession }
        done()
      }, done)
    }
  }
}

/** Creates the HTTP edge: every route of the contract, in front of services that it calls by rpc. */
export const createEdge = async (options: EdgeOptions): Promise<Edge> => {
  const { config, routes, backends, openapi, tls, log, metrics } = options
  const mounts = [...new Set(backends.map(({ mount }) => mount))]
  const cors = createCors(corsRules(config, mounts))
  const requestId = createRequestIds()
  const clientAddress = createClientAddress(config.trustedProxies)
  const isForeign = createOriginRule({ publicUrl: config.publicUrl, isAllowed: cors.isAllowed })
  const headersOf = bareHeaders(requestId, cors)
  const maxConnections = await connectionLimit(config.maxConnections, log)
  const bodies = createBodyTimeouts({
    idleMilliseconds: config.bodyIdleSeconds * 1_000,
    minBytesPerSecond: config.bodyBytesPerSecond,
    onTooSlow: answerSlowBody(headersOf),
  })
  const writes = createWriteTimeouts({ idleMilliseconds: config.responseIdleSeconds * 1_000 })
  const basePath = createBasePath(config.publicUrl)
  let listensOn: string | undefined
  const front = createFront({
    refusedHost: createHostRule({ ...config, listensOn: () => listensOn }),
    isForeign,
    requests: createRateLimiter({ perMinute: config.requestsPerMinute }),
    clientAddress,
    metrics,
  })
  const guard = createCredentialGuard({
    failures: createRateLimiter({ perMinute: config.failedCredentialsPerMinute }),
    clientAddress,
  })
  const share = createConnectionShare({
    limit: config.maxConnectionsPerAddress,
    trustedProxies: config.trustedProxies,
  })
  const http = createServers({
    config: { ...config, maxConnections },
    basePath,
    front,
    bodies,
    writes,
    share,
    headersOf,
    tls,
  })
  const server = createServer(config, requestId, http.create, headersOf)
  const closing = new AbortController()
  const heartbeat = createHeartbeat({ stallMilliseconds: config.streamStallSeconds * 1_000 })
  const frames = metrics.counter({ name: 'trellis_stream_events_total', help: 'Events sent over all streams.' })
  metrics.gauge({ name: 'trellis_streams_open', help: 'Event streams open now.' }, heartbeat.size)
  metrics.gauge({ name: 'trellis_streams_limit', help: 'Limit of open streams.' }, () => config.maxStreams)
  metrics.gauge({ name: 'trellis_connections_open', help: 'Connections open now.' }, writes.size)
  metrics.gauge({ name: 'trellis_connections_limit', help: 'Limit of open connections.' }, () => maxConnections)
  const durations = createRequestDurations(metrics)
  const defaultCaller = config.cloudMode ? anonymous : localUser

  server.decorateRequest('caller')
  server.decorateRequest('session')
  server.decorateRequest('startedAt', 0)
  server.decorate('originOf', createOrigins(config.publicUrl))
  server.decorate('clientOf', createCountedClient(clientAddress))
  server.decorate('basePath', basePath)
  const begin: Begin = (request, reply) => {
    request.startedAt = performance.now()
    request.caller = defaultCaller
    addCommonHeaders(request, reply)
    cors.addHeaders(request, reply)
  }
  server.setErrorHandler((error, request, reply) => {
    // A request that fails before its route handler runs has not called `begin`.
    if (request.startedAt === 0) begin(request, reply)
    // For unknown paths, 404 takes precedence over errors in the request.
    answerFailure(request.is404 ? nothingAt(request) : error, request, reply, log)
    durations(request.method, request.routeOptions.url ?? 'unknown')(request, reply.statusCode)
  })
  const facts = openapi && {
    version: openapi.info.version,
    mounts,
    sign_in: config.cloudMode ? (config.signInUrl ?? null) : null,
    has_admin_key: config.adminKey !== '',
    base: basePath.base,
  }
  const webApp = facts && readWebApp(config.webDirectory, facts)
  server.setNotFoundHandler((request, reply) => {
    if (request.startedAt === 0) begin(request, reply)
    if (!sendUnknownPage(webApp, request, reply)) throw nothingAt(request)
    durations(request.method, 'unknown')(request, reply.statusCode)
  })
  /** The paths outside of the API: pages and documents, which can only be read. Those below a wildcard may be unknown. */
  const readOnly = new Set<string>()
  await server.register((pages, _options, registered) => {
    pages.addHook('onRoute', ({ method, url }) => {
      if (method === 'GET' && !url.includes('*')) readOnly.add(url)
    })
    pages.addHook('onRequest', (request, reply, done) => {
      begin(request, reply)
      done()
    })
    cors.registerPreflight(pages)
    registerHealth(pages, options)
    if (!openapi || !webApp) return registered()
    registerPages(pages, { found: webApp, mounts: pageMounts, base: basePath.base })
    registerDocs(pages, openapi, mounts, basePath.base).then(() => registered(), registered)
  })
  for (const url of readOnly) refuseOtherMethods(server, url, new Set(['GET', 'HEAD']))
  await registerRoutes(server, routes, backends, {
    streams: { heartbeat, closing: closing.signal, onFrames: (count) => frames.inc(count) },
    maxStreams: config.maxStreams,
    streamsByAddress: createConcurrencyLimiter(config.maxStreamsPerAddress, isThisMachine),
    clientAddress,
    begin,
    admit: createAdmission(options, guard),
    limits: createRouteLimits({ config, clientAddress, isForeign, metrics }),
    guard,
    durations,
  })
  await server.ready()

  return {
    server,
    listen: async (host, port) => {
      listensOn = host
      const address = await server.listen({ host, port, backlog: 4_096 })
      if (host === 'localhost') await http.listenOnOtherLoopback(server.server)
      return tls ? address.replace(/^http:/, 'https:') : address
    },
    openStreams: heartbeat.size,
    /** Ends streams first, then drains pending requests, then closes all connections. */
    [Symbol.asyncDispose]: async () => {
      closing.abort(new Error('The server is shutting down.'))
      const timer = setTimeout(() => http.closeAllConnections(), config.shutdownSeconds * 1_000)
      http.closeOthers()
      await server.close()
      clearTimeout(timer)
      heartbeat.stop()
      bodies.stop()
      writes.stop()
    },
  }
}
