import type { Egress } from '@trellis/kit/egress'
import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import { backoff } from '@trellis/kit/retry'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import type { Dependencies } from '../dependencies.ts'
import { alertMessage, confirmationMessage, type Mailer } from './mail.ts'
import {
  claimDelivery,
  deleteDelivery,
  dueDeliveries,
  findSettings,
  postponeDelivery,
  recordOutcome,
  renewClaim,
  retryDelivery,
} from './outbox-store.ts'
import { quietUntil } from './quiet-hours.ts'
import { quietHoursOf } from './settings.ts'
import type { AlertTables, Channel, DeliveryRow, SettingsRow } from './tables.ts'
import { sendToWebhook } from './webhook.ts'

/** What became of one attempt to deliver. A delivery that was refused is not tried again. */
export type Attempt =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'failed'; readonly detail: string; readonly retryAfterSeconds: number | null }

export type OutboxOptions = {
  readonly egress: Egress
  /** Undefined if the installation sends no mail. */
  readonly mailer: Mailer | undefined
  readonly random?: () => number
  /** How long a claim lasts; after it, another replica takes over from one that died. It is renewed while an attempt lasts. */
  readonly claimMilliseconds?: number
}

const pause = 3_000
/** Channels that are delivered together, and how many deliveries one replica tries concurrently: a slow mail server does not delay webhooks. */
const lanes: readonly Lane[] = [
  { channels: ['webhook'], atOnce: 16 },
  { channels: ['email', 'confirmation'], atOnce: 8 },
]
/** A delivery that was not accepted for this time is abandoned, in milliseconds. */
const abandonAfterMilliseconds = 24 * 3_600_000
const pauses = { initial: 10_000, max: 3_600_000 }

/** The pause after a failed attempt, in milliseconds: it doubles with each, has jitter, and is not shorter than the receiver's `Retry-After`. */
export const pauseAfterAttempt = (attempts: number, retryAfterSeconds: number | null, random: () => number): number =>
  Math.max(backoff(attempts, pauses, random), Math.min((retryAfterSeconds ?? 0) * 1000, abandonAfterMilliseconds))

type Db = Kysely<AlertTables>
/** Attempts whose outcome the database did not accept: they are recorded later, not repeated. */
type Unrecorded = Map<string, { readonly delivery: DeliveryRow; readonly attempt: Attempt }>
type Lane = { readonly channels: readonly Channel[]; readonly atOnce: number }

/** Whether a delivery still has a receiver: its user may have switched the channel off, or changed the address. */
const hasReceiver = ({ channel }: DeliveryRow, settings: SettingsRow | undefined): settings is SettingsRow => {
  if (settings === undefined) return false
  if (channel === 'webhook') return settings.webhook_url !== null && settings.webhook_secret !== null
  if (channel === 'email') return settings.email !== null && settings.email_confirmed === 1
  return settings.email !== null && settings.email_code !== null
}

/**
 * Sends what is queued: at least once to webhooks, under the same id each time, and once by mail. A delivery is claimed in its
 * row while a replica tries it, so a replica that dies delays it only.
 */
export const runOutbox = (
  dependencies: Pick<Dependencies, 'log' | 'now' | 'signal'> & { readonly db: Db },
  { egress, mailer, random = Math.random, claimMilliseconds = 60_000 }: OutboxOptions,
): Rounds => {
  const { db, log, now, signal } = dependencies
  const claimEnd = (): Date => new Date(now().getTime() + claimMilliseconds)
  const send = async (delivery: DeliveryRow, settings: SettingsRow): Promise<Attempt> => {
    const { webhook_url: url, webhook_secret: secret, email } = settings
    if (delivery.channel === 'webhook')
      return sendToWebhook({ egress, now, signal }, { url: url ?? '', secret: secret ?? '' }, delivery)
    if (mailer === undefined)
      return { kind: 'failed', detail: 'This installation sends no mail.', retryAfterSeconds: null }
    const to = email ?? ''
    const message =
      delivery.channel === 'email' ? alertMessage(to, delivery) : confirmationMessage(to, settings.email_code ?? '')
    return mailer.send(delivery.id, message, signal)
  }
  /** Sends a delivery while its claim is renewed, so that no other replica sends it, too, however long the receiver takes. */
  const sendClaimed = async (delivery: DeliveryRow, settings: SettingsRow): Promise<Attempt> => {
    const over = new AbortController()
    const renewals = startRounds({
      milliseconds: claimMilliseconds / 3,
      signal: over.signal,
      round: () => renewClaim(db, delivery, claimEnd()),
      onFailure: (error) => log.warn({ err: error }, 'listings: the claim on a delivery could not be renewed now'),
    })
    try {
      return await send(delivery, settings)
    } finally {
      over.abort()
      await renewals[Symbol.asyncDispose]()
    }
  }
  const record = (delivery: DeliveryRow, attempt: Attempt): Promise<void> =>
    transact(db, async (transaction) => {
      const at = now()
      if (attempt.kind === 'accepted') {
        await deleteDelivery(transaction, delivery.id)
        return recordOutcome(transaction, delivery, { deliveredAt: at })
      }
      const retryAfterSeconds = attempt.kind === 'failed' ? attempt.retryAfterSeconds : null
      const next = new Date(at.getTime() + pauseAfterAttempt(delivery.attempts, retryAfterSeconds, random))
      const age = next.getTime() - Date.parse(delivery.created_at)
      await recordOutcome(transaction, delivery, { error: attempt.detail })
      if (attempt.kind === 'refused' || age > abandonAfterMilliseconds) await deleteDelivery(transaction, delivery.id)
      else await retryDelivery(transaction, delivery, next)
    })
  const attemptOne = async (due: DeliveryRow, unrecorded: Unrecorded): Promise<void> => {
    if (unrecorded.has(due.id)) return
    const settings = await findSettings(db, due.user_id)
    if (!hasReceiver(due, settings)) return deleteDelivery(db, due.id)
    const quiet = due.channel === 'confirmation' ? undefined : quietUntil(now(), quietHoursOf(settings))
    if (quiet !== undefined) return postponeDelivery(db, due, quiet)
    const claimed = await claimDelivery(db, due.id, now(), claimEnd())
    if (claimed === undefined) return
    const attempt = await sendClaimed(claimed, settings)
    // Our own end interrupted it: another replica, or the next start, tries again.
    if (signal.aborted && attempt.kind === 'failed') return
    try {
      await record(claimed, attempt)
    } catch (error) {
      unrecorded.set(claimed.id, { delivery: claimed, attempt })
      throw error
    }
  }
  const recordLate = async (unrecorded: Unrecorded): Promise<void> => {
    for (const [id, { delivery, attempt }] of unrecorded) {
      await record(delivery, attempt)
      unrecorded.delete(id)
    }
  }
  const onFailure = (error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'listings: alerts could not be delivered now')
  }
  const startLane = ({ channels, atOnce }: Lane): Rounds => {
    const unrecorded: Unrecorded = new Map()
    const underWay = new Map<string, Promise<void>>()
    /** Begins an attempt, and looks for more deliveries when it has ended: the next one need not wait for a slow receiver. */
    const begin = (delivery: DeliveryRow): void => {
      const attempt = attemptOne(delivery, unrecorded)
        .finally(() => underWay.delete(delivery.id))
        .then(() => rounds.wake(), onFailure)
      underWay.set(delivery.id, attempt)
    }
    const round = async (): Promise<void> => {
      await recordLate(unrecorded)
      const limit = atOnce - underWay.size
      if (limit === 0) return
      const due = await dueDeliveries(db, { now: now(), channels, limit })
      for (const delivery of due) if (!underWay.has(delivery.id)) begin(delivery)
    }
    const rounds = startRounds({ milliseconds: pause, startsAtOnce: true, signal, round, onFailure })
    const ended = rounds.ended.then(async () => {
      await Promise.all(underWay.values())
    })
    return { wake: rounds.wake, ended, [Symbol.asyncDispose]: () => ended }
  }
  const started = lanes.map(startLane)
  const wake = () => {
    for (const lane of started) lane.wake()
  }
  const ended = Promise.all(started.map((lane) => lane.ended)).then(() => undefined)
  return { wake, ended, [Symbol.asyncDispose]: () => ended }
}
