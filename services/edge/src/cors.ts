import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type CorsRule = { mount: string; origins: readonly string[] | 'any' }

const exposed = 'x-request-id, x-marketplace, x-branches-missing, content-disposition, content-range, etag, retry-after'
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const preflightSeconds = '600'

/**
 * Determines which pages of other origins may call (WHATWG Fetch, CORS protocol); without rules no answer carries a CORS header.
 * It replaces the framework's plugin so that requests cost nothing extra where there is no rule.
 */
export const createCors = (configured: readonly CorsRule[]) => {
  const rules = configured.filter(({ origins }) => origins.length > 0)

  const ruleOf = (url: string): CorsRule | undefined => rules.find(({ mount }) => url.startsWith(`${mount}/`))

  /** The origin that may read the answer: the requested one, `*`, or none. */
  const granted = (url: string, origin: string): string | undefined => {
    const rule = ruleOf(url)
    if (rule?.origins === 'any') return '*'
    return rule?.origins.includes(origin) ? origin : undefined
  }

  /** CORS headers of an answer. `Vary` does not depend on the request, so that caches do not mix up answers. */
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

  /** Answers preflight requests. */
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
