import { createHash } from 'node:crypto'
import { type Egress, EgressRefused, type EgressResponse, readUpTo } from '@trellis/kit/egress'
import { isServiceError, serviceError } from '@trellis/kit/errors'
import { parseRetryAfter } from '@trellis/kit/retry'
import { marketplaceFailure } from '../marketplace/failures.ts'
import type { HostGate } from '../marketplace/scraper/host-gate.ts'
import { targetOf } from '../marketplace/scraper/http-get.ts'
import { followPolitely, judgeStatus } from '../marketplace/scraper/polite-get.ts'
import type { Robots } from '../marketplace/scraper/robots.ts'
import { type ImageType, imageTypeOf } from './image-type.ts'

/** An image and its type by content; the tag changes with the content. */
export type Photo = { readonly body: Buffer; readonly mediaType: ImageType; readonly etag: string }

/** Fetches an image. Throws a service error with the reason if there is none: 404, 415, 502 or 504. */
export type FetchPhoto = (address: string, signal: AbortSignal) => Promise<Photo>

export type FetchPhotoOptions = {
  readonly egress: Pick<Egress, 'fetch'>
  readonly gate: HostGate
  readonly robots: Robots
  readonly userAgent: string
  /** Configured hosts, such as the demo's, may have private addresses; hosts that pages name may not. */
  readonly mayBePrivate: (hostname: string) => boolean
  readonly timeoutMilliseconds?: number
}

export const maxPhotoBytes = 5_000_000
/** Formats that can also be compared come first. */
const accept = 'image/jpeg,image/png,image/webp,image/*;q=0.5'

const readLimited = async (response: EgressResponse): Promise<Buffer> => {
  const { bytes, isWhole } = await readUpTo(response.body, maxPhotoBytes)
  if (!isWhole) throw marketplaceFailure('failed', `the photo is larger than ${maxPhotoBytes / 1_000_000} MB`)
  return bytes
}

const toPhoto = (body: Buffer): Photo => {
  const mediaType = imageTypeOf(body)
  if (mediaType === undefined)
    throw serviceError(
      'unsupported_media',
      'What the marketplace serves as this photo is no JPEG, PNG, GIF, WebP or AVIF image.',
    )
  return { body, mediaType, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
}

/** Why nothing was received, in the marketplace's terms. */
const failureOf = (error: unknown, host: string, seconds: number | undefined) => {
  if (seconds !== undefined)
    return marketplaceFailure('timedOut', `no photo came within ${seconds} s`, { cause: error })
  if (!(error instanceof EgressRefused)) return marketplaceFailure('failed', `${host} is unreachable`, { cause: error })
  return error.what === 'redirect'
    ? marketplaceFailure('failed', 'the photo redirects to another host, or in a loop', { cause: error })
    : marketplaceFailure('failed', `${host} is not an allowed address`, { cause: error })
}

/**
 * Creates a function that fetches photos as politely as pages: as robots.txt allows, at the pace of the host, with an honest user agent. A host that
 * cannot be reached is treated as one that refuses: the next requests fail at once, instead of waiting for it one after the other.
 */
export const createFetchPhoto = ({
  egress,
  gate,
  robots,
  userAgent,
  mayBePrivate,
  timeoutMilliseconds = 20_000,
}: FetchPhotoOptions): FetchPhoto => {
  const headers = { 'user-agent': userAgent, accept }
  const send = async (target: string, signal: AbortSignal) => {
    const onlyPublic = !mayBePrivate(new URL(target).hostname)
    const response = await egress.fetch(target, { headers, signal, onlyPublic, returnsRedirects: 'within host' })
    return { response, address: target, movedTo: targetOf(response) }
  }

  const request = async (first: string, signal: AbortSignal): Promise<Photo> => {
    const { response, address } = await followPolitely({ gate, robots }, first, signal, (target) =>
      send(target, signal),
    )
    try {
      const retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'), Date.now())
      await judgeStatus(gate, { status: response.status, address, retryAfterSeconds })
      if (!response.ok) throw serviceError('not_found', 'The marketplace no longer has this photo.')
      const body = await readLimited(response)
      await gate.succeeded(new URL(address).host)
      return toPhoto(body)
    } finally {
      await response.body?.cancel().catch(() => undefined)
    }
  }

  return async (address, signal) => {
    const url = new URL(address)
    const deadline = AbortSignal.timeout(timeoutMilliseconds)
    try {
      return await request(url.href, AbortSignal.any([signal, deadline]))
    } catch (error) {
      signal.throwIfAborted()
      if (isServiceError(error)) throw error
      const isLocalRefusal = error instanceof EgressRefused
      if (!isLocalRefusal) await gate.refused(url.host, undefined)
      throw failureOf(error, url.host, deadline.aborted ? timeoutMilliseconds / 1000 : undefined)
    }
  }
}
