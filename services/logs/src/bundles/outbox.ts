import { EgressRefused } from '@trellis/kit/egress'
import { startRounds } from '@trellis/kit/lifecycle'
import { backoff, parseRetryAfter } from '@trellis/kit/retry'
import type { Dependencies } from '../dependencies.ts'
import type { IncidentDb } from '../incidents/all-tables.ts'
import { claimBundle, concludeAttempt, dueBundles } from './store.ts'
import type { SentBundleTable } from './tables.ts'

export type Outbox = AsyncDisposable & {
  /** Tries a queued bundle now; gives what became of it. */
  attempt: (id: string) => Promise<SentBundleTable | undefined>
}

export type OutboxOptions = {
  db: IncidentDb
  dependencies: Pick<Dependencies, 'upstream' | 'log' | 'now'>
  endpoint: string
  /** A bearer token for it; empty: none. */
  token: string
  /** Told what became of an attempt. */
  concluded: (row: SentBundleTable) => Promise<void>
  roundMilliseconds?: number
  random?: () => number
}

const attemptMilliseconds = 30_000
/** Longer than an attempt: who has died is waited for no longer. */
const claimMilliseconds = attemptMilliseconds + 10_000
/** A bundle that nobody has taken for so long is given up. */
const giveUpMilliseconds = 24 * 3_600_000
const pauses = { initial: 5_000, max: 3_600_000 }

/** The pause after so many attempts, in milliseconds: not shorter than the receiver's `Retry-After`, which is bounded. */
export const pauseAfter = (attempts: number, afterSeconds: number | undefined, random?: () => number): number =>
  Math.max(backoff(attempts, pauses, random), Math.min((afterSeconds ?? 0) * 1_000, giveUpMilliseconds))
const maxPerRound = 20
const maxWords = 300

type Outcome =
  | { kind: 'taken' }
  | { kind: 'refused'; words: string }
  | { kind: 'again'; words: string; afterSeconds: number | undefined }

const isForLater = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status)

/** What the receiver says, as much as is worth keeping; the rest is not read. */
const wordsOf = async (response: { status: number; body: AsyncIterable<unknown> | null }): Promise<string> => {
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      if (chunk instanceof Uint8Array) text += Buffer.from(chunk).toString('utf8')
      if (text.length >= maxWords) break
    }
  } catch {}
  return `${response.status} ${text.replaceAll(/\s+/g, ' ').replaceAll('\0', '').slice(0, maxWords)}`.trim()
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/**
 * Sends queued bundles to the endpoint: at once when asked, else when their time has come. A bundle is claimed in its row while one
 * replica tries it, so no two do; one that died in the middle is tried again, under the same idempotency key.
 */
export const createOutbox = (options: OutboxOptions): Outbox => {
  const { db, endpoint, token, concluded, roundMilliseconds = 5_000, random = Math.random } = options
  const { upstream, log, now } = options.dependencies
  const ending = new AbortController()
  const secrets = token === '' ? [] : [token]
  const withoutSecrets = (words: string) => secrets.reduce((text, one) => text.replaceAll(one, '***'), words)

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
      })
      const words = await wordsOf(response)
      if (response.ok) return { kind: 'taken' }
      if (!isForLater(response.status)) return { kind: 'refused', words }
      return { kind: 'again', words, afterSeconds: parseRetryAfter(response.headers.get('retry-after'), now()) }
    } catch (error) {
      if (error instanceof EgressRefused) return { kind: 'refused', words: error.message }
      return { kind: 'again', words: messageOf(error), afterSeconds: undefined }
    }
  }
  const changeFor = (row: SentBundleTable, outcome: Outcome): Partial<SentBundleTable> => {
    const at = now()
    if (outcome.kind === 'taken')
      return { status: 'sent', sent_at: at, next_attempt_at: null, last_error: null, content: null }
    const last_error = withoutSecrets(outcome.words)
    const next = at + (outcome.kind === 'again' ? pauseAfter(row.attempts, outcome.afterSeconds, random) : 0)
    if (outcome.kind === 'refused' || next - row.created_at > giveUpMilliseconds)
      return { status: 'failed', next_attempt_at: null, last_error, content: null }
    return { next_attempt_at: Math.round(next), last_error }
  }
  const attempt = async (id: string): Promise<SentBundleTable | undefined> => {
    const claimed = await claimBundle(db, id, now(), now() + claimMilliseconds)
    if (!claimed) return undefined
    const outcome = await deliver(claimed)
    // One that was broken off by our own end is another's to try, as soon as the claim is over.
    if (ending.signal.aborted && outcome.kind === 'again') return undefined
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
    onFailure: (error) => log.warn({ err: error }, 'queued bundles could not be sent now'),
  })
  return {
    attempt,
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await rounds.ended
    },
  }
}
