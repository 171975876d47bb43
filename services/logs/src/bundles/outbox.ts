import { EgressRefused, type EgressResponse, isWebPage, readUpTo, responseMessage } from '@trellis/kit/egress'
import { startRounds } from '@trellis/kit/lifecycle'
import { backoff, parseRetryAfter } from '@trellis/kit/retry'
import type { Dependencies } from '../dependencies.ts'
import type { IncidentDb } from '../incidents/all-tables.ts'
import { claimBundle, concludeAttempt, dueBundles } from './store.ts'
import type { SentBundleTable } from './tables.ts'

export type Outbox = AsyncDisposable & {
  /** Tries to send a queued bundle now; returns its new row. */
  attempt: (id: string) => Promise<SentBundleTable | undefined>
}

export type OutboxOptions = {
  db: IncidentDb
  dependencies: Pick<Dependencies, 'upstream' | 'log' | 'now'>
  endpoint: string
  /** Bearer token for the endpoint; empty for none. */
  token: string
  /** Called with the result of an attempt. */
  concluded: (row: SentBundleTable) => Promise<void>
  roundMilliseconds?: number
  random?: () => number
}

const attemptMilliseconds = 30_000
/** Longer than an attempt, so that the claim of a crashed replica expires. */
const claimMilliseconds = attemptMilliseconds + 10_000
/** After this time a bundle is abandoned. */
const abandonAfterMilliseconds = 24 * 3_600_000
const pauses = { initial: 5_000, max: 3_600_000 }

/** The pause after a number of attempts, in milliseconds: at least the receiver's `Retry-After`, which is bounded. */
export const pauseAfter = (attempts: number, afterSeconds: number | undefined, random?: () => number): number =>
  Math.max(backoff(attempts, pauses, random), Math.min((afterSeconds ?? 0) * 1_000, abandonAfterMilliseconds))
const maxPerRound = 20
const maxMessageCharacters = 300

type Outcome =
  | { kind: 'accepted' }
  | { kind: 'refused'; message: string }
  | { kind: 'retry'; message: string; afterSeconds: number | undefined }

const isRetryable = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status)

/** The beginning of the receiver's response; the rest is not read. */
const beginningOf = async (response: EgressResponse): Promise<string> => {
  const { bytes } = await readUpTo(response.body, 4 * maxMessageCharacters).catch(() => ({ bytes: Buffer.alloc(0) }))
  return new TextDecoder().decode(bytes)
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/**
 * Sends queued bundles to the endpoint: on request at once, otherwise when they are due. A replica claims the row of a bundle for an attempt, so
 * that no two send it; after a crash it is sent again, with the same idempotency key.
 */
export const createOutbox = (options: OutboxOptions): Outbox => {
  const { db, endpoint, token, concluded, roundMilliseconds = 5_000, random = Math.random } = options
  const { upstream, log, now } = options.dependencies
  const ending = new AbortController()
  const secrets = token === '' ? [] : [token]
  const withoutSecrets = (message: string) => secrets.reduce((text, one) => text.replaceAll(one, '***'), message)

  const deliver = async ({ id, content }: SentBundleTable): Promise<Outcome> => {
    const timeout = AbortSignal.any([ending.signal, AbortSignal.timeout(attemptMilliseconds)])
    try {
      const response = await upstream.fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': id,
          ...(token !== '' && { authorization: `Bearer ${token}` }),
        },
        body: content ?? '',
        signal: timeout,
        // Following such a redirect would send a GET without the bundle, and its answer would pass for the receiver's.
        keepsMethod: true,
      })
      const text = await beginningOf(response)
      const message = `${response.status} ${responseMessage(response, text, maxMessageCharacters)}`.trim()
      // A proxy may answer in the place of the receiver, with its page for signing in or for maintenance.
      if (response.ok && isWebPage(text)) return { kind: 'retry', message, afterSeconds: undefined }
      if (response.ok) return { kind: 'accepted' }
      if (!isRetryable(response.status)) return { kind: 'refused', message }
      return { kind: 'retry', message, afterSeconds: parseRetryAfter(response.headers.get('retry-after'), now()) }
    } catch (error) {
      if (error instanceof EgressRefused) return { kind: 'refused', message: error.message }
      return { kind: 'retry', message: messageOf(error), afterSeconds: undefined }
    }
  }
  const changeFor = (row: SentBundleTable, outcome: Outcome): Partial<SentBundleTable> => {
    const at = now()
    if (outcome.kind === 'accepted')
      return { status: 'sent', sent_at: at, next_attempt_at: null, last_error: null, content: null }
    const last_error = withoutSecrets(outcome.message)
    const next = at + (outcome.kind === 'retry' ? pauseAfter(row.attempts, outcome.afterSeconds, random) : 0)
    if (outcome.kind === 'refused' || next - row.created_at > abandonAfterMilliseconds)
      return { status: 'failed', next_attempt_at: null, last_error, content: null }
    return { next_attempt_at: Math.round(next), last_error }
  }
  const attempt = async (id: string): Promise<SentBundleTable | undefined> => {
    const claimed = await claimBundle(db, id, now(), now() + claimMilliseconds)
    if (!claimed) return undefined
    const outcome = await deliver(claimed)
    // An attempt interrupted by shutdown is left to another replica once the claim expires.
    if (ending.signal.aborted && outcome.kind === 'retry') return undefined
    const row = await concludeAttempt(db, claimed, changeFor(claimed, outcome))
    if (row) await concluded(row)
    return row
  }
  const round = async () => {
    for (const { id } of await dueBundles(db, now(), maxPerRound)) {
      if (ending.signal.aborted) return
      await attempt(id)
    }
  }
  const rounds = startRounds({
    milliseconds: roundMilliseconds,
    signal: ending.signal,
    round,
    onFailure: (error) => log.warn({ err: error }, 'sending queued bundles failed'),
  })
  return {
    attempt,
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await rounds.ended
    },
  }
}
