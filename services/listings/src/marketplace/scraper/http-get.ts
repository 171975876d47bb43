import {
  createEgress,
  type EgressInit,
  EgressRefused,
  type EgressResponse,
  isRedirect,
  readUpTo,
} from '@trellis/kit/egress'
import { parseRetryAfter } from '@trellis/kit/retry'
import { isMarketplaceFailure, marketplaceFailure } from '../failures.ts'

export type HttpAnswer = {
  readonly status: number
  readonly body: string
  /** The final URL, after redirects. */
  readonly address: string
  readonly contentType: string | null
  /** The server's Retry-After, in seconds. */
  readonly retryAfterSeconds: number | undefined
  /** The URL that the response redirects to, where redirects are returned. */
  readonly movedTo?: string | undefined
}

/**
 * Gets a URL; `accept` is the Accept header, by default that of a page. Redirects are followed, unless they are to be returned. Those to another
 * host are refused, unless these are to be returned, too.
 */
export type HttpGet = (
  address: string,
  signal: AbortSignal,
  accept?: string,
  returnsRedirects?: EgressInit['returnsRedirects'],
) => Promise<HttpAnswer>

export type HttpGetOptions = {
  readonly userAgent: string
  readonly timeoutMilliseconds: number
  readonly maxBytes: number
  readonly acceptLanguage?: string
  /** Configured hosts, such as the demo's, may have private addresses; hosts that pages name may not. */
  readonly mayBePrivate: (hostname: string) => boolean
}

const readLimited = async (response: EgressResponse, maxBytes: number): Promise<Uint8Array> => {
  const { bytes, isWhole } = await readUpTo(response.body, maxBytes)
  if (!isWhole)
    throw marketplaceFailure('failed', `it sent a page of more than ${Math.round(maxBytes / 1024 / 1024)} MiB`)
  return bytes
}

/** The target of a redirect that was returned. */
export const targetOf = ({ status, headers, url }: EgressResponse): string | undefined => {
  const location = isRedirect(status) ? headers.get('location') : null
  return location === null ? undefined : URL.parse(location, url)?.href
}

/** Bytes in which a page without a charset in its header may declare one (HTML, 13.2.3.2). */
const declaredWithin = 1024
const charset = /charset\s*=\s*["']?\s*([\w-]+)/i

const declaredIn = (bytes: Uint8Array, contentType: string | null): string | undefined => {
  if (contentType !== null && !/html/i.test(contentType)) return undefined
  const start = Buffer.from(bytes.subarray(0, declaredWithin)).toString('latin1')
  const tags = start.match(/<meta\b[^>]*>/gi) ?? []
  return tags.map((tag) => charset.exec(tag)?.[1]).find((label) => label !== undefined)
}

const decodedAs = (bytes: Uint8Array, label: string): string => {
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A body as text. As in a browser, U+0000 becomes U+FFFD: no browser shows it, and no database stores it. */
const decoded = (bytes: Uint8Array, contentType: string | null): string => {
  const label = charset.exec(contentType ?? '')?.[1] ?? declaredIn(bytes, contentType) ?? 'utf-8'
  return decodedAs(bytes, label).replaceAll('\0', '\ufffd')
}

/**
 * Gets pages over HTTP with an honest user agent, with redirects on the same host only, within limits of time and size.
 * Returns a response of any status; throws only when there is none.
 */
export const createHttpGet = ({
  userAgent,
  timeoutMilliseconds,
  maxBytes,
  acceptLanguage = 'en-US,en;q=0.8',
  mayBePrivate,
}: HttpGetOptions): HttpGet => {
  const egress = createEgress({ blockPrivate: false, maxResponseBytes: 2 * maxBytes })
  return async (address, signal, accept = 'text/html,application/xhtml+xml,text/plain;q=0.8', returnsRedirects) => {
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
        ...(returnsRedirects === undefined ? {} : { returnsRedirects }),
      })
      const movedTo = returnsRedirects === undefined ? undefined : targetOf(response)
      const bytes = movedTo === undefined ? await readLimited(response, maxBytes) : new Uint8Array()
      const contentType = response.headers.get('content-type')
      return {
        status: response.status,
        body: decoded(bytes, contentType),
        movedTo,
        address: response.url,
        contentType,
        retryAfterSeconds: parseRetryAfter(response.headers.get('retry-after'), Date.now()),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (isMarketplaceFailure(error)) throw error
      if (deadline.aborted)
        throw marketplaceFailure('timedOut', `nothing came within ${timeoutMilliseconds / 1000} s`, { cause: error })
      if (error instanceof EgressRefused)
        throw error.what === 'redirect'
          ? marketplaceFailure('refused', 'it redirects to another host, or in a loop', { cause: error })
          : marketplaceFailure('failed', `${url.host} is not an allowed address`, { cause: error })
      throw marketplaceFailure('failed', `${url.host} is unreachable`, { cause: error })
    }
  }
}
