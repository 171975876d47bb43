import { createEgress, EgressRefused, type EgressResponse } from '@trellis/kit/egress'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'

export type HttpAnswer = {
  readonly status: number
  readonly body: string
  /** Where it was found, behind redirects. */
  readonly address: string
  readonly contentType: string | null
  /** The server's own word on when to come back, in seconds. */
  readonly retryAfterSeconds: number | undefined
}

/** Gets what is at an address; `accept` says what is wanted there, a page unless it is given. */
export type HttpGet = (address: string, signal: AbortSignal, accept?: string) => Promise<HttpAnswer>

export type HttpGetOptions = {
  readonly userAgent: string
  readonly timeoutMilliseconds: number
  readonly maxBytes: number
  readonly acceptLanguage?: string
  /** Hosts that are configured, such as the demo's, may be at private addresses; whatever pages name may not. */
  readonly mayBePrivate: (hostname: string) => boolean
}

/** Seconds until the moment a Retry-After header names, as a number or a date; undefined when it names none. */
export const readRetryAfter = (header: string | null, now: Date): number | undefined => {
  if (header === null) return undefined
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

const readLimited = async (response: EgressResponse, maxBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) {
      throw marketplaceFailure('failed', `it sent a page of more than ${Math.round(maxBytes / 1024 / 1024)} MiB`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const decoded = (bytes: Uint8Array, contentType: string | null): string => {
  const label = /charset=["']?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/**
 * Gets pages over HTTP, honestly: it says who it is, follows redirects on the same host only, and bounds time and size.
 * Any status is an answer; only what gives none is thrown.
 */
export const createHttpGet = ({
  userAgent,
  timeoutMilliseconds,
  maxBytes,
  acceptLanguage = 'en-US,en;q=0.8',
  mayBePrivate,
}: HttpGetOptions): HttpGet => {
  const egress = createEgress({ blockPrivate: false, maxResponseBytes: 2 * maxBytes })
  return async (address, signal, accept = 'text/html,application/xhtml+xml,text/plain;q=0.8') => {
    const deadline = AbortSignal.timeout(timeoutMilliseconds)
    const headers = {
      'user-agent': userAgent,
      accept,
      'accept-language': acceptLanguage,
    }
    const url = new URL(address)
    try {
      const response = await egress.fetch(url, {
        headers,
        signal: AbortSignal.any([signal, deadline]),
        onlyPublic: !mayBePrivate(url.hostname),
      })
      const bytes = await readLimited(response, maxBytes)
      const contentType = response.headers.get('content-type')
      return {
        status: response.status,
        body: decoded(bytes, contentType),
        address: response.url,
        contentType,
        retryAfterSeconds: readRetryAfter(response.headers.get('retry-after'), new Date()),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (isMarketplaceFailure(error)) throw error
      if (deadline.aborted)
        throw marketplaceFailure('timedOut', `nothing came within ${timeoutMilliseconds / 1000} s`, { cause: error })
      if (error instanceof EgressRefused)
        throw error.what === 'redirect'
          ? marketplaceFailure('refused', 'it sends requests on to another host, or in a circle', { cause: error })
          : marketplaceFailure('failed', `${url.host} is no address to fetch from`, { cause: error })
      throw marketplaceFailure('failed', `${url.host} cannot be reached`, { cause: error })
    }
  }
}
