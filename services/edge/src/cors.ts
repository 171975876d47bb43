import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type CorsRule = { mount: string; origins: readonly string[] | 'any' }

const exposed = 'x-request-id, x-marketplace, x-branches-missing, content-disposition, content-range, retry-after'
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const preflightSeconds = '600'

/**
 * Which pages of other origins may call (WHATWG Fetch, CORS protocol); without rules no answer carries a CORS header.
 * Requests pay nothing for it where there is no rule, which is why it is not left to the framework's plugin.
 */
export const createCors = (given: readonly CorsRule[]) => {
  const rules = given.filter(({ origins }) => origins.length > 0)

  const ruleOf = (url: string): CorsRule | undefined => rules.find(({ mount }) => url.startsWith(`${mount}/`))

  /** The origin that may read the answer: its own, `*`, or none. */
  const granted = (url: string, origin: string): string | undefined => {
    const rule = ruleOf(url)
    if (rule?.origins === 'any') return '*'
    return rule?.origins.includes(origin) ? origin : undefined
  }

  /** What the answer to a request of another origin needs. Caches must not mix up answers, so `Vary` does not depend on the request. */
  const headersOf = (url: string, origin: string | undefined): Record<string, string> => {
    if (rules.length === 0 || ruleOf(url) === undefined) return {}
    const allowed = origin === undefined ? undefined : granted(url, origin)
    if (allowed === undefined) return { vary: 'Origin' }
    return {
      vary: 'Origin',
      'access-control-allow-origin': allowed,
      'access-control-expose-headers': exposed,
      ...(allowed === '*' ? {} : { 'access-control-allow-credentials': 'true' }),
    }
  }

  const addHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
    if (rules.length > 0) reply.headers(headersOf(request.url, request.headers.origin))
  }

  /** Answers the question that a browser asks before it sends anything of consequence. */
  const registerPreflight = (server: FastifyInstance): void => {
    server.options('*', (request, reply) => {
      const { origin } = request.headers
      if (origin !== undefined && granted(request.url, origin) !== undefined) {
        reply
          .header('access-control-allow-methods', methods)
          .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '')
          .header('access-control-max-age', preflightSeconds)
      }
      return reply.code(204).send()
    })
  }
  return {
    headersOf,
    addHeaders,
    registerPreflight,
    isAllowed: (url: string, origin: string): boolean => granted(url, origin) !== undefined,
  }
}

export type Cors = ReturnType<typeof createCors>
