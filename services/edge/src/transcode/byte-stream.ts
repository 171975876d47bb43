import { isServiceError, serviceError } from '@trellis/kit/errors'
import { isMatched, isUnchanged } from '@trellis/kit/rpc'
import type { ByteFrame, ByteHead } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import type { FastifyReply } from 'fastify'
import { drained } from '../stream/drained.ts'

const asciiName = (name: string) => name.replaceAll(/[^\x20-\x7e]|["\\%/]/g, '_')

/** Content-Disposition with the name in plain ASCII and in UTF-8 (RFC 8187). */
export const attachment = (name: string): string => {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${encoded}`
}

const lengthOf = ({ size, start, end }: ByteHead): number | undefined => {
  if (typeof start === 'number' && typeof end === 'number') return end - start
  return size ?? undefined
}

const headersOf = (head: ByteHead, acceptsRanges: boolean): Record<string, string> => {
  const { mediaType, filename, size, start, end, etag } = head
  const length = lengthOf(head)
  return {
    'content-type': mediaType,
    ...(acceptsRanges && size != null ? { 'accept-ranges': 'bytes' } : {}),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
    ...(start == null || end == null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size ?? '*'}` }),
    ...(etag ? { etag } : {}),
    ...(filename ? { 'content-disposition': attachment(filename) } : {}),
  }
}

type Opened = { head: ByteHead; frames: AsyncIterable<ByteFrame>; close: () => Promise<unknown> | undefined }

/** Reads the head of a byte stream; `frames` still includes it. */
const openFrames = async (stream: AsyncIterable<ByteFrame>): Promise<Opened> => {
  const iterator = stream[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done || first.value.frame?.$case !== 'head') throw new TypeError('A byte stream must start with its head.')
  async function* frames() {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { head: first.value.frame.value, frames: frames(), close: () => iterator.return?.() }
}

/** The strong comparison of RFC 9110, 8.8.3.2. A date never matches, because we send none. */
const isCurrent = ({ etag }: ByteHead, ifRange: string): boolean => etag === ifRange && !ifRange.startsWith('W/')

/** Headers that make a request conditional; undefined where they are absent or do not apply. */
export type Preconditions = {
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly ifRange: string | undefined
}

const changed = () =>
  serviceError(
    'precondition_failed',
    'The content has another version than If-Match names. Request it without If-Match for its current ETag.',
  )

/**
 * Opens content for a request with preconditions, in the order of RFC 9110, 13.2.2: 412 if `If-Match` does not hold; the whole content in place of a
 * range if `If-Range` does not hold. Left to `sendBytes` is `If-None-Match`, which comes before the range, too. The head contains the current
 * version, so a range that is not sent opens the content twice.
 */
export const openConditionally = async (
  open: () => AsyncIterable<ByteFrame>,
  { ifMatch, ifNoneMatch, ifRange }: Preconditions,
  dropRange: () => void,
): Promise<AsyncIterable<ByteFrame>> => {
  let outside: unknown
  const openWhole = () => {
    dropRange()
    return openFrames(open())
  }
  const { head, frames, close } = await openFrames(open()).catch((error: unknown) => {
    if (!isServiceError(error, 'range_not_satisfiable')) throw error
    outside = error
    return openWhole()
  })
  if (ifMatch !== undefined && !isMatched(head.etag, ifMatch)) {
    await close()
    throw changed()
  }
  if (head.etag && isUnchanged(head.etag, ifNoneMatch)) return frames
  const takesRange = ifRange === undefined || isCurrent(head, ifRange)
  if (outside !== undefined && takesRange) {
    await close()
    throw outside
  }
  if (takesRange || head.start == null) return frames
  await close()
  return (await openWhole()).frames
}

type Sending = {
  readonly headOnly: boolean
  /** The route serves parts of its content, where its size is known. */
  readonly acceptsRanges: boolean
  readonly ifNoneMatch: string | undefined
}

/**
 * Sends the frames of a BYTES method, or 304 if the client has the current version. Nothing is written before the first bytes of the content, so an error until then
 * becomes a plain error answer; a later one closes the connection, which the client detects by the announced length.
 */
export const sendBytes = async (
  frames: AsyncIterable<ByteFrame>,
  reply: FastifyReply,
  { headOnly, acceptsRanges, ifNoneMatch }: Sending,
) => {
  const iterator = frames[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done || first.value.frame?.$case !== 'head') throw new TypeError('A byte stream must start with its head.')
  const head = first.value.frame.value
  if (head.etag && isUnchanged(head.etag, ifNoneMatch)) {
    await iterator.return?.()
    reply.code(304).header('etag', head.etag).send()
    return
  }
  let next = headOnly ? undefined : await iterator.next()
  reply.headers(headersOf(head, acceptsRanges))
  if (head.start != null) reply.code(206)
  reply.hijack()
  const { raw } = reply
  raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>)
  try {
    for (; next && !next.done; next = await iterator.next()) {
      if (next.value.frame?.$case !== 'chunk') continue
      if (!raw.write(next.value.frame.value)) await drained(raw)
      if (raw.destroyed) return
    }
    raw.end()
  } catch (error) {
    raw.destroy()
    throw error
  } finally {
    await iterator.return?.()
  }
}
