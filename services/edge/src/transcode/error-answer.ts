import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import {
  type Detail,
  type ErrorKind,
  errorKinds,
  isDiskFull,
  isServiceError,
  nullCharacterDetail,
  type ServiceError,
  serviceError,
  toServiceError,
} from '@trellis/kit/errors'
import type { Log } from '@trellis/kit/telemetry'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nullCharacterIn } from './null-character.ts'

const kindOfStatus = new Map<number, ErrorKind>(
  (Object.keys(errorKinds) as ErrorKind[]).map((kind) => [errorKinds[kind].status, kind]),
)

const sentences: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than this server accepts.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON (Content-Type: application/json).',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from its Content-Length.',
  FST_ERR_BAD_URL: 'The address is not a valid URL path.',
}

/** Converts client errors of the HTTP framework; undefined for others, which are internal errors. */
const fromFramework = (error: unknown): ServiceError | undefined => {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined
  if (error.statusCode < 400 || error.statusCode >= 500) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return serviceError('not_found', 'No id is that long.', { cause: error })
  const kind = kindOfStatus.get(error.statusCode) ?? 'malformed'
  const sentence = sentences[code] ?? (error instanceof SyntaxError ? 'The body is not valid JSON.' : error.message)
  return serviceError(kind, sentence, { cause: error })
}

export const toAnswerable = (error: unknown): ServiceError =>
  isServiceError(error) ? error : (fromFramework(error) ?? toServiceError(error))

/** The detail of a 422 is a list of fields; a sentence about the whole request is attributed to its body, or to its query if it has none. */
const detailOf = ({ kind, detail }: ServiceError, request: FastifyRequest): Detail => {
  if (kind !== 'invalid' || typeof detail !== 'string') return detail
  const loc = detail === nullCharacterDetail ? nullCharacterIn(request) : undefined
  if (loc !== undefined) return [{ loc, msg: 'must not contain the character U+0000', type: 'value_error' }]
  const { method } = request
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'DELETE'
  return [{ loc: [hasBody ? 'body' : 'query'], msg: detail, type: 'value_error' }]
}

/** Answers an error in the shape of all errors: `{"detail": ...}`. */
export const answerFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply => {
  const failed = toAnswerable(error)
  if (isDiskFull(failed))
    log.warn({ err: failed, requestId: request.id }, 'http: request failed because a disk is full')
  // A client that has disconnected reads no answer, and errors caused by that are not logged.
  if (failed.kind === 'internal' && !reply.raw.destroyed) {
    log.error(
      { err: failed.cause ?? error, requestId: request.id, route: request.routeOptions.url },
      'http: request failed with an internal error',
    )
  }
  if (failed.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.max(1, Math.ceil(failed.retryAfterSeconds))))
  return reply
    .code(failed.status)
    .headers(failed.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ detail: detailOf(failed, request) }))
}

const rawAnswers: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than this server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** Answers malformed HTTP on the bare socket, in the same shape and with the headers of every answer: nothing of the request was read. */
export const brokenRequestAnswer =
  (headersOf: (request: { headers: IncomingHttpHeaders }) => Record<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, detail] = rawAnswers[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.']
    const body = JSON.stringify({ detail })
    const sent = {
      ...headersOf({ headers: {} }),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n'))
  }
