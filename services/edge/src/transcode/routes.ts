import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { serviceError } from '@trellis/kit/errors'
import { childAbortController } from '@trellis/kit/lifecycle'
import type { CallOptions } from '@trellis/kit/rpc'
import type { Route } from '@trellis/protos/edge/routes.ts'
import {
  errorCodes,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  type onRequestHookHandler,
} from 'fastify'
import type { ClientAddress } from '../admission/client-address.ts'
import type { ConcurrencyLimiter } from '../admission/concurrency-limiter.ts'
import type { CredentialGuard } from '../admission/credential-guard.ts'
import type { RouteLimits } from '../admission/route-limits.ts'
import { presentedBranchKey, requireBranchKey } from '../identity/keys.ts'
import type { Answered, RequestDurations } from '../request-durations.ts'
import { atTime } from '../stream/at-time.ts'
import { type EventStreams, sendEvents } from '../stream/event-stream.ts'
import { frameReader, idReader } from '../stream/frame.ts'
import { resume } from '../stream/resume.ts'
import { openConditionally, type Preconditions, sendBytes } from './byte-stream.ts'
import { callOptions, whenGone } from './call-context.ts'
import { refuseOtherCharsets } from './charset.ts'
import { readsEncoding, refuseEncoded } from './content-encoding.ts'
import { sendJson } from './json-answer.ts'
import { readsHeader, requestReader } from './request.ts'
import { uploadMessages } from './upload-messages.ts'
import { wellFormedJson } from './well-formed-json.ts'

/** A client of a service: methods by name, independent of the transport. */
// biome-ignore lint/suspicious/noExplicitAny: the generated table has the message types of each method
export type AnyClient = Record<string, (request: any, options: CallOptions) => any>

/** Streams a request to its branch, and returns the complete answer. */
export type BranchProxy = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export type Backend = {
  name: string
  mount: string
  heartbeat: string
  client: AnyClient
  /** Handles raw requests in place of the client, authentication included. */
  proxyToBranch?: BranchProxy
  /** The service runs in another process, so its streams are resumed after it restarts. */
  isRemote?: boolean
}

/** Sends its answer itself. It must not return the reply, which is a thenable: Fastify would retain the request until the reply ends. */
type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void

/**
 * The first step of every request: starts its clock and sets common headers. Routes call it directly where they
 * can, because any framework hook costs a small request three per cent.
 */
export type Begin = (request: FastifyRequest, reply: FastifyReply) => void

/** The header with which a reconnecting client sends its last event id (WHATWG HTML, section 9.2). */
const lastEventHeader = 'last-event-id'

const methods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']

/** How long the rest of a rejected request is read: most clients do not read an answer before they have sent everything. */
const discardMilliseconds = 5_000

/** Discards the rest of a request. Returns whether it ended in time. */
const discardRest = async (request: IncomingMessage): Promise<boolean> => {
  if (request.readableEnded) return true
  if (request.destroyed) return request.complete
  request.resume()
  const stop = AbortSignal.timeout(discardMilliseconds)
  try {
    await Promise.race([once(request, 'end', { signal: stop }), once(request, 'close', { signal: stop })])
    return true
  } catch {
    return false
  }
}

const fastifyPath = (path: string) => path.replaceAll(':', '::').replaceAll(/\{([a-z0-9_]+)\}/g, ':$1')

const call = (backend: Backend, route: Route) => {
  const method = backend.client[route.rpc]
  if (!method) throw new TypeError(`${route.service} does not implement ${route.rpc}.`)
  return method
}

const answer = (route: Route, request: FastifyRequest, reply: FastifyReply, message: unknown): void | Promise<void> => {
  if (route.toRest) return sendJson(request, reply, route.toRest(message))
  reply.code(204).send()
}

const unary = (route: Route, backend: Backend, answered: Answered, begin: Begin): Handle => {
  const read = requestReader(route)
  const method = call(backend, route)
  return (request, reply) => {
    begin(request, reply)
    const message = read(request)
    if (route.status !== 200) reply.code(route.status)
    method(message, callOptions(request, reply))
      .then((result: unknown) => answer(route, request, reply, result))
      .then(
        () => answered(request, reply.statusCode),
        (error: unknown) => void reply.send(error),
      )
  }
}

const upload = (route: Route, backend: Backend, answered: Answered): Handle => {
  const read = requestReader(route)
  const takesEncoded = readsEncoding(route)
  const method = call(backend, route)
  return async (request, reply) => {
    reply.code(route.status)
    try {
      if (!takesEncoded) refuseEncoded(request.headers)
      if (route.stream === 'body') refuseOtherCharsets(request.headers)
      const messages = uploadMessages(route, request, read(request))
      await answer(route, request, reply, await method(messages, callOptions(request, reply)))
      answered(request, reply.statusCode)
    } catch (error) {
      if (!(await discardRest(request.raw))) reply.header('connection', 'close')
      throw error
    }
  }
}

const passing = (route: Route, proxyToBranch: BranchProxy, answered: Answered, guard: CredentialGuard): Handle => {
  const read = requestReader(route)
  return async (request, reply) => {
    try {
      requireBranchKey(request.headers)
      read(request)
      const checked = async () => {
        await proxyToBranch(request, reply)
        return reply.statusCode
      }
      await guard.verifyAsync(request.raw, presentedBranchKey(request.headers), checked, (status) => status === 401)
      answered(request, reply.statusCode)
    } catch (error) {
      if (!(await discardRest(request.raw))) reply.header('connection', 'close')
      throw error
    }
  }
}

/** The first two only of a request that reads: the answer of another is no version of what its path names. */
const preconditionsOf = ({ method }: Route, { headers }: FastifyRequest): Preconditions => ({
  ifMatch: method === 'GET' ? headers['if-match'] : undefined,
  ifNoneMatch: method === 'GET' ? headers['if-none-match'] : undefined,
  ifRange: headers['if-range'] as string | undefined,
})

const bytes = (route: Route, backend: Backend, answered: Answered): Handle => {
  const read = requestReader(route)
  const method = call(backend, route)
  const acceptsRanges = readsHeader(route, 'range')
  return async (request, reply) => {
    const open = () => method(read(request), callOptions(request, reply))
    reply.code(route.status)
    const dropRange = () => {
      delete request.headers.range
    }
    const headOnly = request.method === 'HEAD'
    // HEAD ignores the header (RFC 9110, section 14.2).
    if (headOnly) dropRange()
    const preconditions = preconditionsOf(route, request)
    const isConditional = Object.values(preconditions).some((value) => value !== undefined)
    const frames = isConditional ? await openConditionally(open, preconditions, dropRange) : open()
    await sendBytes(frames, reply, { headOnly, acceptsRanges, ifNoneMatch: preconditions.ifNoneMatch })
    answered(request, reply.statusCode)
  }
}

const tooManyStreams = () =>
  serviceError(
    'rate_limited',
    'Too many streams are open from this address. Close one, or raise MAX_STREAMS_PER_ADDRESS on the server.',
    { retryAfterSeconds: 5 },
  )

const events = (
  route: Route,
  backend: Backend,
  answered: Answered,
  { streams, maxStreams, streamsByAddress, clientAddress }: RouteOptions,
): Handle => {
  const read = requestReader(route)
  const method = call(backend, route)
  const toFrame = frameReader(route)
  const idOf = idReader(route)
  const isResumable = backend.isRemote === true && readsHeader(route, lastEventHeader)
  return async (request, reply) => {
    if (streams.heartbeat.size() >= maxStreams) {
      throw serviceError('unavailable', 'Too many streams are open. Try again shortly.', { retryAfterSeconds: 5 })
    }
    const message = read(request)
    const caller = clientAddress(request.raw)
    if (!streamsByAddress.begin(caller)) throw tooManyStreams()
    using _share = { [Symbol.dispose]: () => streamsByAddress.end(caller) }
    using ended = childAbortController(streams.closing)
    const { signal } = ended
    whenGone(reply, ended.abort)
    const { session } = request
    using _expiry = session && atTime(session.expiresAt, () => ended.abort(session.refusal()))
    const options = callOptions(request, reply, signal)
    const open = (lastEventId: string | undefined) => {
      if (lastEventId === undefined) return method(message, options)
      request.headers[lastEventHeader] = lastEventId
      return method(read(request), options)
    }
    const messages = isResumable ? resume({ open, idOf, signal }) : open(undefined)
    const { heartbeat } = backend
    await sendEvents(messages, toFrame, reply, streams, { heartbeat, headOnly: request.method === 'HEAD', signal })
    answered(request, reply.statusCode)
  }
}

export type RouteOptions = {
  streams: EventStreams
  maxStreams: number
  streamsByAddress: ConcurrencyLimiter
  clientAddress: ClientAddress
  begin: Begin
  /** Authenticates and authorizes the caller before the request is read. */
  admit: (route: Route) => onRequestHookHandler | undefined
  /** Run once the caller is known. */
  limits: RouteLimits
  guard: CredentialGuard
  durations: RequestDurations
}

const notUtf8 = () => serviceError('malformed', 'The body is not valid UTF-8: JSON must be sent in UTF-8.')

/**
 * Accepts only JSON bodies, in UTF-8 (RFC 8259, 8.1): other bytes would be stored as U+FFFD. An empty one counts as absent, because some clients
 * always send a Content-Type: that of JSON, or that of a form, as `curl -d ''` does.
 */
const takeJsonAlone = (server: FastifyInstance): void => {
  server.removeContentTypeParser('text/plain')
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request.headers)
      refuseOtherCharsets(request.headers)
    } catch (error) {
      return done(error as Error)
    }
    if (body.length === 0) done(null)
    else if (!isUtf8(body)) done(notUtf8())
    else void parse(request, wellFormedJson(body.toString()), done)
  })
  server.addContentTypeParser('*', ({ headers }, _payload, done) => {
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) done(null)
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers['content-type']))
  })
}

/** Registers every route of the table whose service has a backend. */
export const registerRoutes = async (
  server: FastifyInstance,
  routes: readonly Route[],
  backends: readonly Backend[],
  options: RouteOptions,
): Promise<void> => {
  const served = routes.flatMap((route) => {
    const backend = backends.find(({ name }) => name === route.service)
    return backend ? [{ route, backend }] : []
  })

  takeJsonAlone(server)

  const handlerOf = (route: Route, backend: Backend, begin: Begin): Handle => {
    const answered = options.durations(route.method, route.path)
    if (backend.proxyToBranch) return passing(route, backend.proxyToBranch, answered, options.guard)
    if (route.stream === 'sse') return events(route, backend, answered, options)
    if (route.stream === 'bytes') return bytes(route, backend, answered)
    if (route.stream === 'multipart' || route.stream === 'body') return upload(route, backend, answered)
    return unary(route, backend, answered, begin)
  }

  const add = (scope: FastifyInstance, route: Route, backend: Backend) => {
    const admission = backend.proxyToBranch ? undefined : options.admit(route)
    const begin: onRequestHookHandler = (request, reply, done) => {
      options.begin(request, reply)
      done()
    }
    const limits = backend.proxyToBranch ? [] : options.limits(route)
    const beginsItself = admission === undefined && limits.length === 0 && route.stream === 'none'
    const withHead = (route.stream === 'bytes' || route.stream === 'sse') && route.method === 'GET'
    scope.route({
      method: (withHead ? ['GET', 'HEAD'] : [route.method]) as HTTPMethods[],
      url: fastifyPath(route.path),
      exposeHeadRoute: route.method === 'GET' && route.stream === 'none',
      config: { isSafe: route.method === 'GET' && route.starts === 'none' },
      onRequest: beginsItself ? [] : [begin, ...(admission ? [admission] : []), ...limits],
      handler: handlerOf(route, backend, beginsItself ? options.begin : () => undefined),
    })
  }

  const isUpload = ({ stream }: Route) => stream === 'multipart' || stream === 'body'
  for (const { route, backend } of served) if (!isUpload(route)) add(server, route, backend)
  await server.register((scope, _options, done) => {
    // Upload bodies are streamed, so no parser may consume them.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const { route, backend } of served) if (isUpload(route)) add(scope, route, backend)
    done()
  })

  for (const [path, allowed] of allowedMethods(served.map(({ route }) => route)))
    refuseOtherMethods(server, fastifyPath(path), allowed)
}

/** Answers the methods that a path does not support with 405 and those that it does. */
export const refuseOtherMethods = (server: FastifyInstance, url: string, allowed: ReadonlySet<string>): void => {
  server.route({
    method: methods.filter((method) => !allowed.has(method)),
    url,
    exposeHeadRoute: false,
    // Runs before the body is parsed, so that its type does not matter.
    onRequest: (request, _reply, done) => {
      const allow = [...allowed].join(', ')
      const sentence = `${request.method} is not allowed for this path. Use ${[...allowed].join(' or ')}.`
      done(serviceError('method_not_allowed', sentence, { headers: { allow } }))
    },
    handler: () => undefined,
  })
}

const allowedMethods = (routes: readonly Route[]): Map<string, Set<string>> => {
  const allowed = new Map<string, Set<string>>()
  for (const { path, method } of routes) {
    const known = allowed.get(path) ?? new Set<string>()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    allowed.set(path, known)
  }
  return allowed
}
