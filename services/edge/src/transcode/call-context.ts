import type { Caller, CallOptions } from '@trellis/kit/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** What an rpc is told about the request it answers; its head writes straight to the reply. */
export const callOptions = (request: FastifyRequest, reply: FastifyReply, signal: AbortSignal): CallOptions => ({
  caller: request.caller,
  signal,
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
})

/** Aborted when the client goes before its answer is complete. */
export const clientGone = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The client has left.'))
  })
  return controller.signal
}
