import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ServiceError, serviceError } from '@trellis/kit/errors'
import type { Metrics } from '@trellis/kit/telemetry'
import type { ClientAddress } from './client-address.ts'
import type { HostRule } from './host-rule.ts'
import type { OriginRule } from './origin-rule.ts'
import type { RateLimiter, Refusal } from './rate-limiter.ts'

export type FrontOptions = {
  refusedHost: HostRule
  isForeign: OriginRule
  /** Limits all requests of a client address. */
  requests: RateLimiter
  clientAddress: ClientAddress
  metrics: Metrics
}

type Reason = 'host' | 'origin' | 'rate'

/** Methods that change nothing (RFC 9110, 9.2.1). */
const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Probes of load balancers and the kubelet, which must pass even while other requests are rejected. */
const probes: ReadonlySet<string | undefined> = new Set(['/health', '/ready'])

export const misdirected = (host: string): ServiceError =>
  serviceError(
    'misdirected',
    `This server does not serve the host "${host.slice(0, 100)}". Use the IP address, or add the name to EDGE_HOSTS.`,
  )

export const fromForeignSite = (): ServiceError =>
  serviceError(
    'forbidden',
    'A page of another site may not do this. Allow its origin in CORS_ORIGINS or MUSIC_CORS_ORIGINS.',
  )

export const tooMany = (what: string, variable: string, { retryAfterSeconds }: Refusal): ServiceError =>
  serviceError('rate_limited', `Too many ${what}. Wait, or raise ${variable} on the server.`, { retryAfterSeconds })

/**
 * Rejects requests before they are routed or read: a foreign `Host` (421), a change requested by a page of another
 * site (403), and requests beyond the rate limit of an address (429). It runs before the framework, because a
 * hook there costs each request three per cent.
 */
export const createFront = ({ refusedHost, isForeign, requests, clientAddress, metrics }: FrontOptions) => {
  const refused = metrics.counter<'reason'>({
    name: 'trellis_http_refused_total',
    help: 'Requests refused before they were routed.',
    labels: ['reason'],
  })
  const refuse = (reason: Reason, failed: ServiceError) => {
    refused.inc({ reason })
    return failed
  }
  return (request: IncomingMessage): ServiceError | undefined => {
    if (probes.has(request.url)) return undefined
    const host = refusedHost(request)
    if (host !== undefined) return refuse('host', misdirected(host))
    if (!safeMethods.has(request.method) && isForeign(request)) return refuse('origin', fromForeignSite())
    const refusal = requests.take(clientAddress(request))
    return refusal && refuse('rate', tooMany('requests from this address', 'RATE_LIMIT', refusal))
  }
}

export type Front = ReturnType<typeof createFront>

/** Answers an error without the framework, on the bare response. */
export const answerRaw = (
  response: ServerResponse,
  { status, detail, retryAfterSeconds }: ServiceError,
  headers: Record<string, string>,
): void => {
  const body = JSON.stringify({ detail })
  response.writeHead(status, {
    ...headers,
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
