import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type CorsRule = { mount: string; origins: readonly string[] | 'any' }

const exposed = 'x-request-id, x-marketplace, x-branches-missing, content-disposition, content-range, retry-after'
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const preflightSeconds = '600'

/** The origin that may read the answer: its own, `*`, or none. */
const allowed = (rules: readonly CorsRule[], url: string, origin: string): string | undefined => {
  const rule = rules.find(({ mount }) => url.startsWith(`${mount}/`))
  if (rule?.origins === 'any') return '*'
  return rule?.origins.includes(origin) ? origin : undefined
}

/**
 * Which pages of other origins may call (WHATWG Fetch, CORS protocol). Requests without an Origin, which is all but
 * those of browsers, pay nothing for it: that is why this is not left to the framework's plugin, which does work for each.
 */
export const createCors = (rules: readonly CorsRule[]) => {
  /** Adds what the answer to a request of another origin needs. */
  const addHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
    const { origin } = request.headers
    if (origin === undefined) return
    reply.header('vary', 'Origin')
    const granted = allowed(rules, request.url, origin)
    if (granted === undefined) return
    reply.header('access-control-allow-origin', granted).header('access-control-expose-headers', exposed)
    if (granted !== '*') reply.header('access-control-allow-credentials', 'true')
  }

  /** Answers the question that a browser asks before it sends anything of consequence. */
  const registerPreflight = (server: FastifyInstance): void => {
    server.options('*', (request, reply) => {
      const { origin } = request.headers
      if (origin !== undefined && allowed(rules, request.url, origin) !== undefined) {
        reply
          .header('access-control-allow-methods', methods)
          .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '')
          .header('access-control-max-age', preflightSeconds)
      }
      return reply.code(204).send()
    })
  }
  return { addHeaders, registerPreflight }
}
