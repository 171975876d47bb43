import type { IncomingMessage } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { childAbortController } from '@trellis/kit/lifecycle'
import { parseRetryAfter } from '@trellis/kit/retry'
import type { Clock, Random } from '../clock.ts'
import type { RuntimeMetrics } from '../metrics.ts'
import { ApiError, ConnectionError, NotLeader, readApiError } from './api-error.ts'
import type { WriteOptions } from './client.ts'
import type { Credentials } from './credentials.ts'
import { type RetryOptions, withRetries } from './retry.ts'
import { send } from './send.ts'
import type { Lane, Transport } from './transport.ts'

type Query = Record<string, string | number | boolean | undefined>

/** A request, and whether it may be retried. */
export type Call = {
  lane: Lane
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Label value in metrics. */
  verb: string
  path: string
  query?: Query
  /** JSON. */
  body?: string
  /** `application/json` by default. */
  contentType?: string
  /** Whether the request is idempotent; true by default. */
  idempotent?: boolean
  options?: WriteOptions
}

export type RequesterOptions = {
  credentials: Credentials
  transport: Transport
  clock: Clock
  random: Random
  metrics: RuntimeMetrics | undefined
  /** Timeout of one attempt in milliseconds. */
  timeout: number
  retry: RetryOptions
  userAgent: string
}

/** Sends requests to the API server. */
export type Requester = {
  /**
   * Returns the JSON response; retries what is safe to retry. Throws ApiError, ConnectionError or the signal's reason.
   */
  request: (call: Call) => Promise<unknown>
  /** Returns the response's body as a stream, for watches. Never retries. */
  open: (call: Call & { options: { signal: AbortSignal } }) => Promise<AsyncIterable<Uint8Array>>
}

/** Errors of connections that were never established, so nothing was sent. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ERR_CONNECT_TIMEOUT'])

/** OpenSSL's certificate verification errors, which occur before anything is sent. */
const isUntrusted = (code: string): boolean => /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_)/.test(code)

const codeOf = (error: unknown): string => {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (code !== undefined) return String(code)
  }
  return ''
}

const never = new AbortController().signal

const encodeQuery = (query: Query): string => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  if (entries.length === 0) return ''
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`
}

const describe = ({ method, path }: Call, error: unknown): string =>
  `${method} ${path}: ${error instanceof Error ? error.message : String(error)}`

export const createRequester = (limits: RequesterOptions): Requester => {
  const { credentials, transport, clock, metrics } = limits

  /** Sends one request and returns the result of `read`, which runs under the same signal. */
  const exchange = async <T>(
    call: Call,
    signal: AbortSignal,
    read: (response: IncomingMessage) => Promise<T> | T,
  ): Promise<T> => {
    const access = await credentials.access()
    const { method, verb, body } = call
    const url = new URL(`${access.server}${call.path}${encodeQuery(call.query ?? {})}`)
    const started = clock.monotonic()
    let code = '<error>'
    try {
      const response = await send({
        agent: transport.agent(call.lane, access),
        url,
        method,
        headers: {
          ...access.headers,
          accept: 'application/json',
          'user-agent': limits.userAgent,
          ...(body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        },
        body,
        signal,
        beforeWrite: call.options?.guard,
      })
      const status = response.statusCode ?? 0
      code = String(status)
      if (status < 400) return await read(response)
      const seconds = parseRetryAfter(response.headers['retry-after'], clock.now())
      const rest = seconds === undefined ? undefined : seconds * 1_000
      throw readApiError(status, await text(response), rest)
    } catch (error) {
      if (error instanceof ApiError || error instanceof NotLeader) throw error
      call.options?.signal?.throwIfAborted()
      const cause = signal.aborted ? new Error('no response in time', { cause: error }) : error
      const reason = codeOf(error)
      throw new ConnectionError(describe(call, cause), {
        maybeSent: !(neverSent.has(reason) || isUntrusted(reason)),
        cause,
      })
    } finally {
      metrics?.request({ code, method, host: url.host, verb, seconds: (clock.monotonic() - started) / 1_000 })
    }
  }

  /**
   * One attempt within its time limit, which the guard provides. The guard runs again when the request is written:
   * while the request waited for a connection, the process may have been suspended for long.
   */
  const attempt = async (call: Call): Promise<unknown> => {
    await credentials.access()
    const { guard, timeout = limits.timeout, signal } = call.options ?? {}
    const limit = Math.min(timeout, guard?.() ?? Number.POSITIVE_INFINITY)
    using ending = childAbortController(signal ?? never)
    const stopTimer = clock.after(limit, () => ending.abort())
    try {
      return await exchange(call, ending.signal, json)
    } finally {
      stopTimer()
    }
  }

  /** Retries once with fresh credentials on 401: tokens rotate while the process runs. */
  const withFreshCredentials = async <T>(send: () => Promise<T>): Promise<T> => {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      credentials.refresh()
      return send()
    }
  }

  return {
    request: async (call) => {
      const { idempotent = true, options: { signal } = {} } = call
      signal?.throwIfAborted()
      return withRetries(() => withFreshCredentials(() => attempt(call)), { idempotent, signal }, limits)
    },
    open: (call) => withFreshCredentials(() => exchange(call, call.options.signal, (response) => response)),
  }
}
