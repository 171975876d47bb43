import { type Egress, EgressRefused, readUpTo } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'

export type TrackerRequest = {
  readonly method: 'GET' | 'POST'
  /** Path below the base URL of the API. */
  readonly path: string
  readonly body?: unknown
}

export type TrackerAnswer = { readonly status: number; readonly body: unknown; readonly text: string }

/** Sends a request to the tracker. Throws `upstream_failed` or `upstream_timeout` if there is no answer. */
export type TrackerCall = (request: TrackerRequest, signal: AbortSignal) => Promise<TrackerAnswer>

export type TrackerConnection = {
  readonly egress: Pick<Egress, 'fetch'>
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Masked in everything that is quoted. */
  readonly token: string
}

const maxBytes = 1024 * 1024
const timeouts = { GET: 10_000, POST: 15_000 } as const
const maxQuoted = 200

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failureOf = (error: unknown, { url }: TrackerConnection) => {
  if (error instanceof EgressRefused) return serviceError('upstream_failed', error.message, { cause: error })
  if (error instanceof Error && error.name === 'TimeoutError')
    return serviceError('upstream_timeout', 'The issue tracker did not respond in time. Try again later.', {
      cause: error,
    })
  return serviceError('upstream_failed', `The issue tracker at ${new URL(url).host} cannot be reached.`, {
    cause: error,
  })
}

export const createTrackerCall =
  (connection: TrackerConnection): TrackerCall =>
  async ({ method, path, body }, signal) => {
    const { egress, url, headers, token } = connection
    const timeout = AbortSignal.timeout(timeouts[method])
    try {
      const response = await egress.fetch(`${url}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // The answer to a GET would be the list of issues, not the new one.
        keepsMethod: true,
        signal: AbortSignal.any([signal, timeout]),
      })
      const { bytes } = await readUpTo(response.body, maxBytes)
      const text = bytes.toString().replaceAll(token, '***')
      return { status: response.status, body: parsed(text), text }
    } catch (error) {
      throw failureOf(timeout.aborted ? timeout.reason : signal.aborted ? signal.reason : error, connection)
    }
  }

/** The body of a successful answer. Throws `upstream_failed` with the first 200 characters of any other. */
export const expectSuccess = ({ status, body, text }: TrackerAnswer): unknown => {
  if (status >= 200 && status <= 299) return body
  const words = text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxQuoted)
    .toWellFormed()
  throw serviceError('upstream_failed', `The issue tracker refused with status ${status}: ${words}`)
}
