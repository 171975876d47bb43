import { createHash, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { refusalOfUrl } from '@trellis/kit/egress'
import { invalidField, serviceError } from '@trellis/kit/errors'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { findSettings, resumeDeliveries } from './outbox-store.ts'
import { isTimeZone, type QuietHours } from './quiet-hours.ts'
import type { AlertTables, SettingsRow } from './tables.ts'
import { isWellFormed, keyOf } from './webhook.ts'

type Db = Kysely<AlertTables>

/** How a user receives alerts. */
export type NewSettings = {
  readonly quietHours: QuietHours | undefined
  readonly webhook: { readonly url: string; readonly secret: string } | undefined
  readonly email: string | undefined
}

/** Rules of an installation for the settings of its users. */
export type SettingsRules = {
  readonly blockPrivate: boolean
  readonly sendsMail: boolean
  /** Whether a user must prove that an e-mail address is theirs: with accounts, so that no user can send mail to others. */
  readonly confirmsEmail: boolean
}

/** What a stored secret reads as; written, it keeps the stored one. */
export const hiddenSecret = '***'
const shortestSecret = 16
const codeMilliseconds = 3_600_000
/** Shortest time between two codes of one user. */
const codePause = 10 * 60_000
const maxCodeFailures = 5

export const quietHoursOf = ({ quiet_hours_json: json }: SettingsRow): QuietHours | undefined =>
  json === null ? undefined : (JSON.parse(json) as QuietHours)

const checkQuietHours = ({ start, end, timeZone }: QuietHours): void => {
  if (start === end) throw invalidField(['body', 'quiet_hours', 'end'], 'must differ from start')
  if (!isTimeZone(timeZone))
    throw invalidField(['body', 'quiet_hours', 'time_zone'], 'must be a time zone such as Europe/Berlin')
}

const checkUrl = (text: string, { blockPrivate }: SettingsRules): string => {
  const url = URL.parse(text)
  const field = ['body', 'webhook', 'url']
  if (url === null) throw invalidField(field, 'must be an address such as https://hooks.example.com/alerts')
  if (url.username !== '' || url.password !== '')
    throw invalidField(field, 'must not contain a user and password: the secret signs each request')
  const refusal = refusalOfUrl(url, { blockPrivate, setting: 'LISTINGS_ALERT_PRIVATE_ADDRESSES' })
  if (refusal !== undefined) throw invalidField(field, refusal)
  return url.href
}

/** A stored secret is reused for the same host only, so that it signs nothing for another receiver. */
const secretFor = (url: string, secret: string, stored: SettingsRow | undefined): string => {
  const field = ['body', 'webhook', 'secret']
  if (secret !== hiddenSecret) {
    if (secret.length < shortestSecret) throw invalidField(field, `must have at least ${shortestSecret} characters`)
    if (!isWellFormed(secret)) throw invalidField(field, 'must be base64 after whsec_')
    if (keyOf(secret).length < shortestSecret)
      throw invalidField(field, `must have at least ${shortestSecret} bytes of base64 after whsec_`)
    return secret
  }
  const isSameHost = stored?.webhook_url != null && new URL(stored.webhook_url).host === new URL(url).host
  if (!isSameHost || stored.webhook_secret === null)
    throw invalidField(field, 'must be set again for another host: there is no stored one for it')
  return stored.webhook_secret
}

/** One address of the usual form. Which addresses exist, only their servers know. */
const emailForm = /^(?!\.)[^\s@<>()[\],;:"\\]{1,64}(?<!\.)@(?=.{1,189}$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/

/** Whether a text is one address. Its domain may have letters of any script, which mail servers know in their ASCII form. */
const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@')
  const ascii = `${text.slice(0, at)}@${domainToASCII(text.slice(at + 1))}`
  return at > 0 && !text.includes('..') && !/[\s@/\\?#%]/.test(text.slice(at + 1)) && emailForm.test(ascii)
}

const checkEmail = (address: string, { sendsMail }: SettingsRules): string => {
  if (!isEmail(address))
    throw invalidField(['body', 'email', 'address'], 'must be one e-mail address, such as ann@example.com')
  if (sendsMail) return address
  throw serviceError('unavailable', 'This installation sends no mail: SMTP_URL and SMTP_FROM are not set.')
}

const newRow = (userId: string, now: Date) => ({
  user_id: userId,
  email_confirmed: 0,
  email_code_failures: 0,
  updated_at: now.toISOString(),
})

/** Writes columns of a user's settings, and returns the row. */
const writeSettings = (db: Db, userId: string, change: Partial<SettingsRow>, now: Date): Promise<SettingsRow> =>
  db
    .insertInto('alert_settings')
    .values({ ...newRow(userId, now), ...change })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...change, updated_at: now.toISOString() }))
    .returningAll()
    .executeTakeFirstOrThrow()

/** Columns of an address that must be confirmed first, and its message, unless it is the stored one. */
const unconfirmed = async (db: Db, userId: string, stored: SettingsRow | undefined, now: Date) => {
  const sentAt = Date.parse(stored?.email_code_sent_at ?? '')
  const left = sentAt + codePause - now.getTime()
  if (left > 0)
    throw serviceError('rate_limited', 'A code was sent a short while ago. Enter it, or try again later.', {
      retryAfterSeconds: Math.ceil(left / 1000),
    })
  const at = now.toISOString()
  const delivery = { id: randomUUID(), user_id: userId, channel: 'confirmation', content_json: '{}' } as const
  await db.deleteFrom('alert_deliveries').where('user_id', '=', userId).where('channel', '=', 'confirmation').execute()
  await db
    .insertInto('alert_deliveries')
    .values({ ...delivery, created_at: at, attempts: 0, next_attempt_at: at })
    .execute()
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  return { email_confirmed: 0, email_code: code, email_code_sent_at: at, email_code_failures: 0 }
}

const emailColumns = async (
  db: Db,
  {
    userId,
    email,
    stored,
    now,
  }: { userId: string; email: string | undefined; stored: SettingsRow | undefined; now: Date },
  { confirmsEmail }: SettingsRules,
): Promise<Partial<SettingsRow>> => {
  if (email === undefined) return { email: null, email_confirmed: 0, email_code: null, email_error: null }
  if (!confirmsEmail) return { email, email_confirmed: 1 }
  if (stored?.email === email && stored.email_confirmed === 1) return {}
  const isPending = stored?.email === email && stored.email_code !== null
  if (isPending && stored.email_code_failures < maxCodeFailures) return {}
  return { email, email_error: null, ...(await unconfirmed(db, userId, stored, now)) }
}

/** Replaces a user's settings. Throws `invalid`, `unavailable` and `rate_limited`. */
export const replaceSettings = (
  db: Db,
  userId: string,
  { quietHours, webhook, email }: NewSettings,
  { rules, now }: { readonly rules: SettingsRules; readonly now: Date },
): Promise<SettingsRow> => {
  if (quietHours !== undefined) checkQuietHours(quietHours)
  const url = webhook === undefined ? undefined : checkUrl(webhook.url, rules)
  const address = email === undefined ? undefined : checkEmail(email, rules)
  return transact(db, async (transaction) => {
    const stored = await findSettings(transaction, userId)
    const hook =
      url === undefined || webhook === undefined
        ? { webhook_url: null, webhook_secret: null, webhook_error: null }
        : {
            webhook_url: url,
            webhook_secret: secretFor(url, webhook.secret, stored),
            ...(stored?.webhook_url === url ? {} : { webhook_error: null }),
          }
    const mail = await emailColumns(transaction, { userId, email: address, stored, now }, rules)
    const quiet_hours_json = quietHours === undefined ? null : JSON.stringify(quietHours)
    const hasOtherHours = (stored?.quiet_hours_json ?? null) !== quiet_hours_json
    const hasOtherUrl = url !== undefined && stored?.webhook_url !== url
    // Quiet hours have postponed deliveries of both channels; those to a webhook may have failed at its former address.
    if (hasOtherHours) await resumeDeliveries(transaction, userId, { channels: ['webhook', 'email'], now })
    else if (hasOtherUrl) await resumeDeliveries(transaction, userId, { channels: ['webhook'], now })
    return writeSettings(transaction, userId, { quiet_hours_json, ...hook, ...mail }, now)
  })
}

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Confirms a user's e-mail address. Throws `conflict` if no code is pending, `invalid` for a wrong one. */
export const confirmEmail = async (db: Db, userId: string, code: string, now: Date): Promise<SettingsRow> => {
  const outcome = await transact(db, async (transaction) => {
    const stored = await findSettings(transaction, userId)
    const sentAt = Date.parse(stored?.email_code_sent_at ?? '')
    const isPending = stored?.email_code != null && now.getTime() - sentAt < codeMilliseconds
    if (!isPending || stored.email_code === null || stored.email_code_failures >= maxCodeFailures) return 'none'
    if (isSame(stored.email_code, code))
      return writeSettings(transaction, userId, { email_confirmed: 1, email_code: null }, now)
    await writeSettings(transaction, userId, { email_code_failures: stored.email_code_failures + 1 }, now)
    return 'wrong'
  })
  if (outcome === 'none')
    throw serviceError(
      'conflict',
      'No code is pending, or it has expired. Save the e-mail address again for a new one.',
    )
  if (outcome === 'wrong') throw invalidField(['body', 'code'], 'is not the code that was sent')
  return outcome
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Creates a new token for a user's feed, in place of an earlier one, and returns it. Only its hash is stored. */
export const rotateFeed = async (db: Db, userId: string, now: Date): Promise<string> => {
  const token = randomBytes(32).toString('base64url')
  await writeSettings(db, userId, { feed_token_hash: hashOf(token) }, now)
  return token
}

export const deleteFeed = async (db: Db, userId: string): Promise<void> => {
  await db.updateTable('alert_settings').set({ feed_token_hash: null }).where('user_id', '=', userId).execute()
}

/** The settings of the user whose feed has this token. */
export const findByFeedToken = (db: Db, token: string): Promise<SettingsRow | undefined> =>
  db.selectFrom('alert_settings').selectAll().where('feed_token_hash', '=', hashOf(token)).executeTakeFirst()
