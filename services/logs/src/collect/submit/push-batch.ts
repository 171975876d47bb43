import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Egress } from '@trellis/kit/egress'
import { messageOf } from '@trellis/kit/errors'
import { parseRetryAfter } from '@trellis/kit/retry'
import type { OutboxRow } from './outbox-store.ts'

const pack = promisify(gzip)

export type PushTarget = {
  /** Where batches go, as `POST /logs/api/glean/batch` takes them. */
  endpoint: string
  /** Sent as a bearer token; none when empty. */
  key: string
  upstream: Pick<Egress, 'fetch'>
}

/** What became of a batch. `later` says why, and after how many seconds the other side wants to see it again. */
export type Pushed =
  | { kind: 'taken'; rejected: string[] }
  | { kind: 'tooLarge' }
  | { kind: 'later'; reason: string; retryAfterSeconds: number | undefined }

const waitMilliseconds = 60_000
const maxAnswerBytes = 4 * 1024 * 1024
const longestRetrySeconds = 300

/** The reasons for what was not taken; it would not be taken another time. */
const rejectedOf = (answer: string): string[] => {
  try {
    const { rejected } = JSON.parse(answer) as { rejected?: { reason?: unknown }[] }
    return Array.isArray(rejected) ? rejected.map(({ reason }) => String(reason)) : []
  } catch {
    return []
  }
}

/** Pushes entries once. Never throws for what the other side does, or does not do. */
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
      const isSmall = Number(response.headers.get('content-length') ?? 0) <= maxAnswerBytes
      const answer = isSmall ? await response.text() : ''
      if (!isSmall) await response.body?.cancel()
      return { kind: 'taken', rejected: rejectedOf(answer) }
    }
    await response.body?.cancel()
    if (status === 413) return { kind: 'tooLarge' }
    const requested = parseRetryAfter(response.headers.get('retry-after'), Date.now())
    const retryAfterSeconds = requested === undefined ? undefined : Math.min(requested, longestRetrySeconds)
    return { kind: 'later', reason: `it answered ${status}`, retryAfterSeconds }
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = messageOf(cause)
    return { kind: 'later', reason, retryAfterSeconds: undefined }
  }
}
