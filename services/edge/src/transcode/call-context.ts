import type { Caller, CallOptions } from '@trellis/kit/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Aborted when the client goes before its answer is complete. */
export const clientGone = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The client has left.'))
  })
  return controller.signal
}

/**
 * What an rpc is told about the request it answers; its head writes straight to the reply. Without a signal of its
 * own the call gets one that follows the client, made only when somebody asks for it: most answers are there before.
 */
export const callOptions = (request: FastifyRequest, reply: FastifyReply, signal?: AbortSignal): CallOptions => {
  let followed = signal
  return {
    caller: request.caller,
    get signal() {
      followed ??= clientGone(reply)
      return followed
    },
    requestId: request.id,
    traceparent: request.headers.traceparent as string | undefined,
    head: {
      status: (status) => {
        reply.code(status)
      },
      header: (name, value) => {
        reply.header(name, value)
      },
    },
  }
}
