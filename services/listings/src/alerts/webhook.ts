import { createHmac } from 'node:crypto'
import { type Egress, EgressRefused, readUpTo, responseMessage } from '@trellis/kit/egress'
import { messageOf } from '@trellis/kit/errors'
import { parseRetryAfter } from '@trellis/kit/retry'
import type { AlertContent } from './delivery-content.ts'
import type { Attempt } from './outbox.ts'
import type { DeliveryRow } from './tables.ts'

const longestAttempt = 15_000
/** The part of an answer that is shown, and the bytes that are read for it. */
const maxAnswerCharacters = 200
const maxAnswerBytes = 4 * maxAnswerCharacters
const base64Prefix = 'whsec_'

/** The key of a secret, as Standard Webhooks defines it: base64 after the prefix; other text is used as it is. */
export const keyOf = (secret: string): Buffer =>
  secret.startsWith(base64Prefix) ? Buffer.from(secret.slice(base64Prefix.length), 'base64') : Buffer.from(secret)

/** Whether what follows the prefix of a secret is base64, if it has one: other characters would be ignored, down to an empty key. */
export const isWellFormed = (secret: string): boolean =>
  !secret.startsWith(base64Prefix) || /^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice(base64Prefix.length))

/** The signature of a message by HMAC-SHA-256. https://www.standardwebhooks.com */
export const signatureOf = (
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string },
): string => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`

/** The body of a delivery: the same for each attempt. */
export const webhookBody = ({ content_json, created_at }: Pick<DeliveryRow, 'content_json' | 'created_at'>): string => {
  const { alerts, omitted } = JSON.parse(content_json) as AlertContent
  return JSON.stringify({ type: 'listings.alerts', timestamp: created_at, data: { alerts, omitted } })
}

const answerOf = async (response: Awaited<ReturnType<Egress['fetch']>>): Promise<string> => {
  // An answer that breaks off has its status nevertheless.
  const { bytes } = await readUpTo(response.body, maxAnswerBytes).catch(() => ({ bytes: Buffer.alloc(0) }))
  return responseMessage(response, new TextDecoder().decode(bytes), maxAnswerCharacters)
}

/** The answer in words: a redirect is one to correct the address. */
const detailOf = (response: Awaited<ReturnType<Egress['fetch']>>, answer: string): string => {
  const location = response.headers.get('location')
  const moved = location === null ? undefined : URL.parse(location, response.url)?.href
  if (response.status >= 300 && response.status < 400 && moved !== undefined)
    return `The webhook answered ${response.status}: it has moved to ${moved.slice(0, maxAnswerCharacters)}. Set that address.`
  return `The webhook answered ${response.status}${answer === '' ? '.' : `: ${answer}`}`
}

/** What went wrong; `fetch` names the reason in the cause. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error)

/** Sends a delivery to a webhook once. */
export const sendToWebhook = async (
  {
    egress,
    now,
    signal,
    attemptMilliseconds = longestAttempt,
  }: {
    readonly egress: Egress
    readonly now: () => Date
    readonly signal: AbortSignal
    readonly attemptMilliseconds?: number
  },
  { url, secret }: { readonly url: string; readonly secret: string },
  delivery: DeliveryRow,
): Promise<Attempt> => {
  const body = webhookBody(delivery)
  const timestamp = String(Math.floor(now().getTime() / 1000))
  const late = AbortSignal.timeout(attemptMilliseconds)
  try {
    const response = await egress.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': delivery.id,
        'webhook-id': delivery.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(secret, { id: delivery.id, timestamp, body }),
      },
      body,
      // An answer to a GET without the alerts would not mean that they were received.
      keepsMethod: true,
      signal: AbortSignal.any([signal, late]),
    })
    const answer = await answerOf(response)
    if (response.ok) return { kind: 'accepted' }
    const detail = detailOf(response, answer)
    // 410 means that the receiver is gone for good.
    if (response.status === 410) return { kind: 'refused', detail }
    const retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'), now().getTime()) ?? null
    return { kind: 'failed', detail, retryAfterSeconds }
  } catch (error) {
    // A receiver that has moved gets what waits at its new address, if its user sets that within a day.
    if (error instanceof EgressRefused && error.what === 'redirect') {
      const advice = error.movedTo === undefined ? '' : ' Set the address that it has moved to.'
      return { kind: 'failed', detail: `${error.message}${advice}`, retryAfterSeconds: null }
    }
    if (error instanceof EgressRefused) return { kind: 'refused', detail: error.message }
    const detail =
      late.aborted && !signal.aborted
        ? `The webhook did not answer within ${attemptMilliseconds / 1000} s.`
        : `The webhook could not be reached: ${reasonOf(error)}`
    return { kind: 'failed', detail, retryAfterSeconds: null }
  }
}
