import { createHash } from 'node:crypto'
import { serviceError } from '@trellis/kit/errors'
import { foldIdentifier } from '../erasure/person.ts'

export type DeletionNotification = {
  readonly id: string
  /** The user name and the immutable id of the account, folded. */
  readonly identifiers: readonly string[]
}

const topic = 'MARKETPLACE_ACCOUNT_DELETION'
const maxText = 200

const objectIn = (value: unknown, name: string): Record<string, unknown> => {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}
}

const textIn = (value: Record<string, unknown>, name: string): string | undefined => {
  const found = value[name]
  const text = typeof found === 'string' ? found.trim() : ''
  return text === '' || text.length > maxText || text.includes('\0') ? undefined : text
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw serviceError('malformed', 'The body is not JSON.', { cause })
  }
}

/** Parses a notification. Throws `malformed` if it is not about the deletion of an account, or does not name one. */
export const parseNotification = (body: Uint8Array): DeletionNotification => {
  const parsed = parse(Buffer.from(body).toString())
  if (textIn(objectIn(parsed, 'metadata'), 'topic') !== topic)
    throw serviceError('malformed', `The notification's metadata.topic must be ${topic}.`)
  const notification = objectIn(parsed, 'notification')
  const data = objectIn(notification, 'data')
  const identifiers = [textIn(data, 'username'), textIn(data, 'userId')].flatMap((text) =>
    text === undefined ? [] : [foldIdentifier(text)],
  )
  if (identifiers.length === 0)
    throw serviceError('malformed', 'The notification must name the account: notification.data.username or userId.')
  const id = textIn(notification, 'notificationId') ?? createHash('sha256').update(body).digest('hex')
  return { id, identifiers: [...new Set(identifiers)] }
}
