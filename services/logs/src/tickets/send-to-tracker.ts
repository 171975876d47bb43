import { setTimeout as sleep } from 'node:timers/promises'
import { EgressRefused, type EgressResponse, readUpTo, responseMessage } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'
import { parseRetryAfter } from '@trellis/kit/retry'
import { parsedJson } from '../parsed-json.ts'
import type { TrackerContext } from './tracker.ts'

export type TrackerRequest = {
  /** The tracker's name, for messages. */
  title: string
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: unknown
  /** Extracts the error message from a response body of this tracker. */
  messageOf: (body: unknown) => string | undefined
}

export type TrackerResponse = { status: number; body: unknown; message: string }

const timeoutMilliseconds = 20_000
const maxResponseBytes = 1024 * 1024
/** A longer Retry-After is not awaited: the user may try again later. */
const maxPauseMilliseconds = 10_000
const maxTries = 3
const maxMessageCharacters = 500

const asFailure = (title: string, error: unknown, context: TrackerContext): unknown => {
  context.signal.throwIfAborted()
  if (error instanceof EgressRefused) return serviceError('upstream_failed', error.message, { cause: error })
  if (error instanceof Error && error.name === 'TimeoutError')
    return serviceError('upstream_timeout', `${title} did not respond within ${timeoutMilliseconds / 1_000} seconds.`, {
      cause: error,
    })
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  return serviceError('upstream_failed', `${title} cannot be reached: ${reason}`, { cause: error })
}

/** Sends a request, and repeats it after a short Retry-After of status 429. Throws `upstream_failed` or `upstream_timeout` without a response. */
export const sendToTracker = async (request: TrackerRequest, context: TrackerContext): Promise<TrackerResponse> => {
  const { title, method, url, headers, body, messageOf } = request
  for (let tries = 1; ; tries++) {
    let result: { response: EgressResponse; text: string; pause: number | undefined }
    try {
      const response = await context.upstream.fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMilliseconds)]),
        // Following such a redirect would send a GET without the ticket.
        keepsMethod: true,
      })
      const requested = parseRetryAfter(response.headers.get('retry-after'), Date.now()) ?? 1
      const { bytes } = await readUpTo(response.body, maxResponseBytes)
      const pause = response.status === 429 ? requested * 1_000 : undefined
      result = { response, text: bytes.toString('utf8'), pause }
    } catch (error) {
      throw asFailure(title, error, context)
    }
    const { response, text, pause } = result
    if (pause !== undefined && pause <= maxPauseMilliseconds && tries < maxTries) {
      await sleep(pause, undefined, { signal: context.signal })
      continue
    }
    const parsed = parsedJson(text)
    const message = responseMessage(response, messageOf(parsed) ?? text, maxMessageCharacters)
    return { status: response.status, body: parsed, message }
  }
}

/** The body of a successful response. Throws `upstream_failed` with the tracker's message for any other. */
export const expectSuccess = (title: string, { status, body, message }: TrackerResponse): Record<string, unknown> => {
  if (status < 200 || status > 299) throw serviceError('upstream_failed', `${title} answered ${status}: ${message}`)
  if (!isObject(body))
    throw serviceError('upstream_failed', `${title} answered with something that is not a JSON object.`)
  return body
}

/** The objects of a list in a response; empty if the tracker does not permit the query. Throws `upstream_failed` if it fails. */
export const listIn = (title: string, response: TrackerResponse, name: string): Record<string, unknown>[] => {
  if (response.status >= 400 && response.status <= 499) return []
  const list = expectSuccess(title, response)[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
