import { messageOf } from '@trellis/kit/errors'
import { priceOrUnknown } from '../formatting.ts'
import type { AlertContent, SentAlert } from './delivery-content.ts'
import type { Attempt } from './outbox.ts'
import type { DeliveryRow } from './tables.ts'

/** How this installation sends mail. */
export type MailSettings = { readonly smtpUrl: string; readonly from: string }

export type Message = { readonly to: string; readonly subject: string; readonly text: string }

export type Mailer = AsyncDisposable & {
  /**
   * Sends a message once. The id becomes its Message-ID, so that a message that is sent again can be recognised. After the signal has
   * aborted, a server has a few seconds left to accept what it has received.
   */
  readonly send: (id: string, message: Message, signal: AbortSignal) => Promise<Attempt>
}

/** How long a connection may take, and then the greeting of the server: many let unknown senders wait for it. */
export type SetupTimeouts = { readonly connectMilliseconds: number; readonly greetingMilliseconds: number }

const setupTimeouts: SetupTimeouts = { connectMilliseconds: 10_000, greetingMilliseconds: 30_000 }
/**
 * A server may check a message for ten minutes before it accepts it (RFC 5321, 4.5.3.2.6). A server whose check is abandoned earlier accepts it nevertheless, and
 * once more after each retry.
 */
const socketTimeout = 10 * 60_000
const attemptMilliseconds = 15 * 60_000
const graceMilliseconds = 3_000
const maxSubjectTitle = 80
const maxReplyCharacters = 200

const verbs: Readonly<Record<SentAlert['kind'], string>> = {
  new_match: 'New',
  price_drop: 'Price drop',
  price_rise: 'Price rise',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: titles are from outside, and a message has one line for each
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()

const paragraph = (alert: SentAlert): string => {
  const before = alert.price_before === null ? '' : ` (before: ${priceOrUnknown(alert.price_before, alert.currency)})`
  const partial = alert.score_is_partial ? ', some facts pending' : ''
  return [
    `${verbs[alert.kind]}: ${oneLine(alert.title)}`,
    `${priceOrUnknown(alert.price, alert.currency)}${before}, trust score ${alert.composite_score} of 100${partial}`,
    ...(alert.ends_at === null ? [] : [`Auction ends ${alert.ends_at}`]),
    `Saved search: ${oneLine(alert.saved_search_name)}`,
    alert.url,
  ].join('\n')
}

const subjectOf = ({ alerts, omitted }: AlertContent): string => {
  const [first] = alerts
  const total = alerts.length + omitted
  if (first === undefined || total > 1) return `${total} alerts of your saved searches`
  const title = Array.from(oneLine(first.title))
  const shown = title.length > maxSubjectTitle ? `${title.slice(0, maxSubjectTitle).join('').trim()}…` : title.join('')
  return `${verbs[first.kind]}: ${shown}`
}

const footer =
  'This address receives the alerts of saved searches. To stop them, switch alerts by e-mail off in the settings of your alerts.'

/** Alerts as a message, newest first. */
export const alertMessage = (to: string, { content_json }: Pick<DeliveryRow, 'content_json'>): Message => {
  const content = JSON.parse(content_json) as AlertContent
  const more = content.omitted === 0 ? [] : [`${content.omitted} earlier alerts are in your list of alerts.`]
  return {
    to,
    subject: subjectOf(content),
    text: `${[...content.alerts.toReversed().map(paragraph), ...more, footer].join('\n\n')}\n`,
  }
}

/** The message that confirms an address. */
export const confirmationMessage = (to: string, code: string): Message => ({
  to,
  subject: `${code} is your code for alerts by e-mail`,
  text: `Enter the code ${code} in the settings of your alerts to receive them at this address. It is valid for an hour.\n\nIf you did not request this, ignore it: without the code, this address gets no alerts.\n`,
})

/**
 * The transport of an SMTP server: smtps:// begins with TLS; smtp:// upgrades to it where the server offers STARTTLS, or always with ?tls=required. Without
 * that, someone between the two can remove the offer and read the password.
 */
const transportOptions = (smtpUrl: string, { connectMilliseconds, greetingMilliseconds }: SetupTimeouts) => {
  const { protocol, hostname, port, username, password, searchParams } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: searchParams.get('tls') === 'required',
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    // nodemailer counts the greeting as part of connecting.
    connectionTimeout: connectMilliseconds + greetingMilliseconds,
    greetingTimeout: greetingMilliseconds,
    socketTimeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Commands about one receiver or message. Refusals of others, such as of the sender, end when an administrator corrects the settings. */
const commandsOfMessages: readonly unknown[] = ['RCPT TO', 'DATA']

/** A reply of the server that no later attempt would change (RFC 5321, 4.2.1). */
const isPermanent = (error: unknown): boolean => {
  if (!(error instanceof Error && 'responseCode' in error && 'command' in error)) return false
  const code = Number(error.responseCode)
  return code >= 550 && code <= 559 && commandsOfMessages.includes(error.command)
}

const textIn = (error: object, name: string): string => {
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? oneLine(value) : ''
}

/** Why a message was not sent: the server's reply, else what happened to the connection, without the server's address. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return messageOf(error)
  const [reply, command, code] = ['response', 'command', 'code'].map((name) => textIn(error, name))
  const step = command === 'CONN' ? '' : ` (${command})`
  if (reply) return `the mail server answered ${reply.slice(0, maxReplyCharacters).toWellFormed()}${step}`
  if (code === 'ETIMEDOUT') return `the mail server did not answer in time${step}`
  if (code === 'EDNS') return "the mail server's name could not be resolved"
  if (code === 'ECONNECTION') return `the mail server closed the connection${step}`
  if ('syscall' in error) return `the mail server could not be reached (${textIn(error, 'originalCode') || code})`
  if ('library' in error) return `no TLS connection could be made with the mail server (${textIn(error, 'reason')})`
  return messageOf(error)
}

/** Programs that answer mail, such as those of people on holiday, leave such messages alone (RFC 3834). */
const headers = { 'Auto-Submitted': 'auto-generated' } as const

/** Aborts a while after the other signal, so that an answer under way can arrive. */
const afterGrace = (signal: AbortSignal, ended: AbortSignal): AbortSignal => {
  const late = new AbortController()
  const start = () => setTimeout(() => late.abort(signal.reason), graceMilliseconds).unref()
  if (signal.aborted) start()
  else signal.addEventListener('abort', start, { once: true, signal: ended })
  return late.signal
}

/** Sends mail over the installation's SMTP server; connects when there is something to send. */
export const createMailer = ({ smtpUrl, from }: MailSettings, timeouts = setupTimeouts): Mailer => {
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport(transportOptions(smtpUrl, timeouts))
  }
  let transport: ReturnType<typeof connect> | undefined
  return {
    send: async (id, message, signal) => {
      const attempt = new AbortController()
      const ends = AbortSignal.any([afterGrace(signal, attempt.signal), AbortSignal.timeout(attemptMilliseconds)])
      try {
        transport ??= connect()
        await (await transport).sendMail({ from, ...message, headers, messageId: `<${id}@${domain}>`, signal: ends })
        return { kind: 'accepted' }
      } catch (error) {
        const detail = `The message could not be sent: ${reasonOf(error)}`
        return isPermanent(error) ? { kind: 'refused', detail } : { kind: 'failed', detail, retryAfterSeconds: null }
      } finally {
        attempt.abort()
      }
    },
    [Symbol.asyncDispose]: async () => (await transport)?.close(),
  }
}
