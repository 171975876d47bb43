import { cancelled, serviceError } from '@trellis/kit/errors'
import type { Metrics } from '@trellis/kit/telemetry'
import type { Route } from '@trellis/protos/edge/routes.ts'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ClientAddress } from './client-address.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'
import { fromForeignSite, tooMany } from './front.ts'
import type { OriginRule } from './origin-rule.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

/** The settings that limit routes: requests of one caller a minute, 0 for no limit, and uploads at a time. */
export type RouteRates = {
  readonly requestsPerMinute: number
  readonly searchesPerMinute: number
  readonly generationsPerMinute: number
  readonly exportsPerMinute: number
  readonly maxUploads: number
  readonly cloudMode: boolean
}

export type RouteLimitsOptions = {
  config: RouteRates
  clientAddress: ClientAddress
  isForeign: OriginRule
  metrics: Metrics
}

type Limited = { limiter: RateLimiter; what: string; variable: string }

/**
 * Creates the limits of a route, which run once its caller is known. An account is one caller wherever it calls from;
 * all others are distinguished by their address, because a guest's cookie can be forged and all clients share one API key.
 */
export const createRouteLimits = ({ config, clientAddress, isForeign, metrics }: RouteLimitsOptions) => {
  const limited = (perMinute: number, what: string, variable: string): Limited => ({
    limiter: createRateLimiter({ perMinute }),
    what,
    variable,
  })
  const work: Record<Exclude<Route['starts'], 'none'>, Limited> = {
    search: limited(config.searchesPerMinute, 'searches', 'RATE_LIMIT_SEARCHES'),
    generation: limited(config.generationsPerMinute, 'generations', 'RATE_LIMIT_GENERATIONS'),
    export: limited(config.exportsPerMinute, 'exports', 'RATE_LIMIT_EXPORTS'),
  }
  const ofAccounts = limited(config.requestsPerMinute, 'requests of this account', 'RATE_LIMIT')
  const uploads = createConcurrencyLimiter(config.maxUploads)
  metrics.gauge(
    { name: 'trellis_uploads_open', help: 'Uploads that count towards the limit of their caller.' },
    uploads.size,
  )
  metrics.gauge(
    { name: 'trellis_uploads_limit', help: 'Limit of uploads of one caller; 0: none.' },
    () => config.maxUploads,
  )

  const callerOf = ({ caller, raw }: FastifyRequest): string =>
    caller.kind === 'account' ? `account ${caller.userId}` : clientAddress(raw)

  const take = (caller: string, { limiter, what, variable }: Limited): void => {
    const refusal = limiter.take(caller)
    if (refusal) throw tooMany(what, variable, refusal)
  }
  const beginUpload = (request: FastifyRequest, reply: FastifyReply): void => {
    // The client disconnected while its caller was being identified: the response is already closed and emits no further 'close'.
    if (reply.raw.destroyed) throw cancelled()
    const caller = callerOf(request)
    if (!uploads.begin(caller)) {
      throw serviceError(
        'rate_limited',
        'Too many concurrent uploads. Wait for one to end, or raise MAX_UPLOADS_PER_CALLER on the server.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    reply.raw.once('close', () => uploads.end(caller))
  }
  const startWork = (limit: Limited, request: FastifyRequest): void => {
    // The front rejects changes from other sites; a GET that starts work is rejected here.
    if (isForeign(request.raw)) throw fromForeignSite()
    take(callerOf(request), limit)
  }

  return ({ starts, stream, access }: Route): onRequestHookHandler[] => {
    // Pushed batches are limited by their memory, not by their number.
    const isUpload = (stream === 'multipart' || stream === 'body') && access !== 'branch_key'
    const limits: ((request: FastifyRequest, reply: FastifyReply) => void)[] = []
    if (access === 'caller' && config.cloudMode) {
      limits.push((request) => {
        if (request.caller.kind === 'account') take(callerOf(request), ofAccounts)
      })
    }
    if (starts !== 'none') limits.push((request) => startWork(work[starts], request))
    if (isUpload) limits.push(beginUpload)
    return limits.map((limit) => (request, reply, done) => {
      limit(request, reply)
      done()
    })
  }
}

export type RouteLimits = ReturnType<typeof createRouteLimits>
