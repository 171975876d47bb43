import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Egress, readUpTo } from '@trellis/kit/egress'
import { messageOf } from '@trellis/kit/errors'
import { parseRetryAfter } from '@trellis/kit/retry'
import type { OutboxRow } from './outbox-store.ts'

const pack = promisify(gzip)

export type PushTarget = {
  /** The URL to which batches are sent; a `POST /logs/api/glean/batch`. */
  endpoint: string
  /** Sent as a bearer token; no token if empty. */
  key: string
  upstream: Pick<Egress, 'fetch'>
}

/** The result of a batch. `later` has the reason, and the seconds after which the receiver requests it again. */
export type Pushed =
  | { kind: 'taken'; rejected: string[] }
  | { kind: 'tooLarge' }
  | { kind: 'later'; reason: string; retryAfterSeconds: number | undefined }

const waitMilliseconds = 60_000
const maxAnswerBytes = 4 * 1024 * 1024
const maxRetrySeconds = 300

/** The reasons why entries were rejected; sending them again would not help. */
const rejectedOf = (answer: string): string[] => {
  try {
    const { rejected } = JSON.parse(answer) as { rejected?: { reason?: unknown }[] }
    return Array.isArray(rejected) ? rejected.map(({ reason }) => String(reason)) : []
  } catch {
    return []
  }
}

/** Pushes entries once. Never throws for the receiver's response, or for the lack of one. */
export const pushBatch = async (
  { endpoint, key, upstream }: PushTarget,
  rows: readonly OutboxRow[],
  signal: AbortSignal,
): Promise<Pushed> => {
  const body = await pack(`{"entries":[${rows.map((row) => row.body).join(',')}]}`)
  try {
    const response = await upstream.fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        ...(key !== '' && { authorization: `Bearer ${key}` }),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMilliseconds)]),
    })
    const { status } = response
    if (status >= 200 && status < 300) {
      const { bytes, isWhole } = await readUpTo(response.body, maxAnswerBytes)
      return { kind: 'taken', rejected: isWhole ? rejectedOf(bytes.toString()) : [] }
    }
    await response.body?.cancel()
    if (status === 413) return { kind: 'tooLarge' }
    const requested = parseRetryAfter(response.headers.get('retry-after'), Date.now())
    const retryAfterSeconds = requested === undefined ? undefined : Math.min(requested, maxRetrySeconds)
    return { kind: 'later', reason: `it responded with ${status}`, retryAfterSeconds }
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = messageOf(cause)
    return { kind: 'later', reason, retryAfterSeconds: undefined }
  }
}
