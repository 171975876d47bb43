import { isIP } from 'node:net'
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
  readonly mostBytes: number
  readonly acceptLanguage?: string
}

/** Redirects followed, all of them on the same host. */
const mostRedirects = 3

/** Addresses that no marketplace has, and that would reach into a machine's own surroundings: link-local and metadata. */
export const isForbiddenHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(host) === 0) return host === 'metadata.google.internal' || host === 'metadata'
  return (
    /^169\.254\./.test(host) ||
    /^0\./.test(host) ||
    /^fe[89ab][0-9a-f]:/.test(host) ||
    host === 'fd00:ec2::254' ||
    /^::ffff:169\.254\./.test(host)
  )
}

/** Seconds until the moment a Retry-After header names, as a number or a date; undefined when it names none. */
export const readRetryAfter = (header: string | null, now: Date): number | undefined => {
  if (header === null) return undefined
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

const readLimited = async (response: Response, mostBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) {
      throw marketplaceFailure('failed', `it sent a page of more than ${Math.round(mostBytes / 1024 / 1024)} MiB`)
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

const checked = (address: string): URL => {
  const url = new URL(address)
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || isForbiddenHost(url.hostname))
    throw marketplaceFailure('failed', `${url.host} is no address to fetch from`)
  return url
}

const redirectTarget = (from: URL, response: Response): URL => {
  const location = response.headers.get('location') ?? ''
  const target = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined
  if (target === undefined || target.host !== from.host)
    throw marketplaceFailure(
      'refused',
      `it sends requests on to another host${target === undefined ? '' : ` (${target.host})`}`,
    )
  return target
}

/**
 * Gets pages over HTTP, honestly: it says who it is, follows redirects on the same host only, and bounds time and size.
 * Any status is an answer; only what gives none is thrown.
 */
export const createHttpGet =
  ({ userAgent, timeoutMilliseconds, mostBytes, acceptLanguage = 'en-US,en;q=0.8' }: HttpGetOptions): HttpGet =>
  async (address, signal, accept = 'text/html,application/xhtml+xml,text/plain;q=0.8') => {
    const deadline = AbortSignal.timeout(timeoutMilliseconds)
    const headers = {
      'user-agent': userAgent,
      accept,
      'accept-language': acceptLanguage,
    }
    let url = checked(address)
    try {
      for (let redirects = 0; redirects <= mostRedirects; redirects++) {
        const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.any([signal, deadline]) })
        if (response.status >= 300 && response.status < 400 && response.status !== 304) {
          await response.body?.cancel()
          url = checked(redirectTarget(url, response).href)
          continue
        }
        const bytes = await readLimited(response, mostBytes)
        const contentType = response.headers.get('content-type')
        return {
          status: response.status,
          body: decoded(bytes, contentType),
          address: url.href,
          contentType,
          retryAfterSeconds: readRetryAfter(response.headers.get('retry-after'), new Date()),
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      if (isMarketplaceFailure(error)) throw error
      if (deadline.aborted)
        throw marketplaceFailure('timedOut', `nothing came within ${timeoutMilliseconds / 1000} s`, { cause: error })
      throw marketplaceFailure('failed', `${url.host} cannot be reached`, { cause: error })
    }
    throw marketplaceFailure('failed', `it redirects more than ${mostRedirects} times`)
  }
