import type { ServerResponse } from 'node:http'
import { cancelled, type ServiceError } from '@trellis/kit/errors'
import type { Caller, CallOptions, ResponseHead } from '@trellis/kit/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForwarded } from '../admission/forwarded.ts'
import type { BasePath } from '../pages/base-path.ts'

export type SessionOfRequest = { readonly expiresAt: number; readonly refusal: () => ServiceError }

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** The session by which the request was admitted: when it expires, and what requests are then refused with. */
    session: SessionOfRequest | undefined
  }
  interface FastifyContextConfig {
    /** Calls change and start nothing, so they may be retried. */
    isSafe?: boolean
  }
  interface FastifyInstance {
    /** The origin at which the client reached this server, such as `https://trellis.example`. */
    originOf: (request: FastifyRequest) => string
    /** The client that limits count; undefined for clients on this machine, which they do not count. */
    clientOf: (request: FastifyRequest) => string | undefined
    /** The path of the public URL, put before paths in headers. */
    basePath: Pick<BasePath, 'base' | 'header'>
  }
}

/** Responses that were not answered by their calls, but with a 408, for example. */
const abandoned = new WeakSet<ServerResponse>()

/** Marks a response whose call is aborted even though it is answered, because the answer is not from the call. */
export const abandonCall = (response: ServerResponse): void => void abandoned.add(response)

/** Calls back when the client disconnects before its call is answered, or at once if it already has. */
export const whenGone = ({ raw }: FastifyReply, abort: (reason: unknown) => void): void => {
  const isAnswered = () => raw.writableFinished && !abandoned.has(raw)
  // 'close' was already emitted if the client disconnected before.
  if (raw.destroyed) {
    if (!isAnswered()) abort(cancelled())
    return
  }
  raw.once('close', () => {
    if (!isAnswered()) abort(cancelled())
  })
}

/** A signal that aborts when the client disconnects before its answer is complete. */
export const clientGone = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  whenGone(reply, (reason) => controller.abort(reason))
  return controller.signal
}

/**
 * The call options of a request; its head writes directly to the reply. Unless a signal is passed,
 * the signal follows the client and is created lazily, because most calls are answered without it.
 *
 * A class, because V8 creates a new hidden class for each object literal with a getter, which was measured as
 * three quarters of the edge's cost per request.
 */
class RequestCall implements CallOptions {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  /** Generated code reads requests and sets every field, and they are not used afterwards. */
  readonly handsOver = true
  #signal: AbortSignal | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, signal: AbortSignal | undefined) {
    this.#request = request
    this.#reply = reply
    this.#signal = signal
  }

  get isSafe(): boolean {
    return this.#request.routeOptions.config.isSafe === true
  }

  get caller(): Caller {
    return this.#request.caller
  }

  get signal(): AbortSignal {
    this.#signal ??= clientGone(this.#reply)
    return this.#signal
  }

  get requestId(): string {
    return this.#request.id
  }

  get traceparent(): string | undefined {
    const { traceparent } = this.#request.headers
    return typeof traceparent === 'string' ? traceparent : undefined
  }

  get origin(): string {
    return this.#request.server.originOf(this.#request)
  }

  get peer(): string | undefined {
    const { raw } = this.#request
    // A proxy on this machine forwards requests of others, so its own address must not count as the caller's.
    return isForwarded(raw) ? undefined : raw.socket.remoteAddress
  }

  get client(): string | undefined {
    return this.#request.server.clientOf(this.#request)
  }

  get isHeadOnly(): boolean {
    return this.#request.method === 'HEAD'
  }

  get head(): ResponseHead {
    return this
  }

  status(status: number): void {
    this.#reply.code(status)
  }

  header(name: string, value: string): void {
    this.#reply.header(name, this.#request.server.basePath.header(name, value))
  }
}

export const callOptions = (request: FastifyRequest, reply: FastifyReply, signal?: AbortSignal): CallOptions =>
  new RequestCall(request, reply, signal)
