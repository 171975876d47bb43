import type { ServerResponse } from 'node:http'
import { cancelled } from '@trellis/kit/errors'
import type { Caller, CallOptions, ResponseHead } from '@trellis/kit/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Nothing is read of a body. */
    takesNoBody?: boolean
    /** A call changes and starts nothing, so it may be repeated. */
    isSafe?: boolean
  }
  interface FastifyInstance {
    /** Where somebody reached this server, as in `https://trellis.example`. */
    originOf: (request: FastifyRequest) => string
  }
}

/** Responses that were answered in place of their calls, such as with 408. */
const abandoned = new WeakSet<ServerResponse>()

/** Has the call of a response aborted although the response is answered: the answer is not the call's. */
export const abandonCall = (response: ServerResponse): void => void abandoned.add(response)

/** Calls back when the client goes before its call is answered, at once if it has. */
export const whenGone = ({ raw }: FastifyReply, abort: (reason: unknown) => void): void => {
  const isAnswered = () => raw.writableFinished && !abandoned.has(raw)
  // The event has passed where the client left before anybody listened.
  if (raw.destroyed) {
    if (!isAnswered()) abort(cancelled())
    return
  }
  raw.once('close', () => {
    if (!isAnswered()) abort(cancelled())
  })
}

/** Aborted when the client goes before its answer is complete. */
export const clientGone = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  whenGone(reply, (reason) => controller.abort(reason))
  return controller.signal
}

/** What proxies add when they pass a request on. */
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/**
 * What an rpc is told about the request it answers; its head writes straight to the reply. Without a signal of its own
 * the call gets one that follows the client, made only when somebody asks for it: most answers are there before.
 *
 * A class, since the engine makes a new hidden class for each object literal with a getter: measured, that was
 * three quarters of what the edge cost a request.
 */
class RequestCall implements CallOptions {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  /** Requests are read by generated code, which fills in every field, and are not looked at again. */
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
    const { headers, raw } = this.#request
    // A proxy on this machine speaks for others, whatever it says about them.
    return forwardingHeaders.some((name) => headers[name] !== undefined) ? undefined : raw.socket.remoteAddress
  }

  get head(): ResponseHead {
    return this
  }

  status(status: number): void {
    this.#reply.code(status)
  }

  header(name: string, value: string): void {
    this.#reply.header(name, value)
  }
}

export const callOptions = (request: FastifyRequest, reply: FastifyReply, signal?: AbortSignal): CallOptions =>
  new RequestCall(request, reply, signal)
