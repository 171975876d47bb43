import { invalidField, serviceError } from '@trellis/kit/errors'
import { isTooNested, maxNesting } from '../entries/nesting.ts'
import type { Severity } from '../entries/severity-code.ts'
import { createTimeReader, epochMilliseconds, readEpoch } from '../formats/time.ts'
import { utc } from '../formats/zone.ts'

/** The fields of a notification, whose names depend on the sender. */
export type Notification = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readJson = (body: string): Notification => {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    throw serviceError('malformed', 'The body is not valid JSON. Send an object, or a form.', { cause })
  }
  if (!isObject(value)) throw invalidField(['body'], 'The body must be a JSON object, such as {"action": "play"}.')
  if (isTooNested(value))
    throw invalidField(['body'], `The body must have at most ${maxNesting} levels of lists and objects.`)
  return value
}

/** A repeated field becomes a list. */
const readForm = (body: string): Notification => {
  const form = new URLSearchParams(body)
  const fields = [...new Set(form.keys())].map((name): [string, unknown] => {
    const values = form.getAll(name)
    return [name, values.length === 1 ? values[0] : values]
  })
  return Object.fromEntries(fields)
}

/** Parses a body by its media type, or by its beginning if that is unspecific. Throws `malformed`, or `invalid` if it has no fields. */
export const readNotification = (body: string, contentType: string): Notification => {
  const isJson = /[/+]json\b/i.test(contentType) || body.trimStart().startsWith('{')
  const fields = isJson ? readJson(body) : readForm(body)
  if (Object.keys(fields).length === 0) throw invalidField(['body'], 'The notification has no fields.')
  return fields
}

/** The sender's name of the event, in lower case and without `on_`; undefined if it has none. */
export const triggerOf = ({ action, event }: Notification): string | undefined => {
  const trigger = [action, event].find((value): value is string => typeof value === 'string' && value.trim() !== '')
  return trigger?.trim().toLowerCase().replace(/^on_/, '')
}

const severityOfTrigger: ReadonlyMap<string, Severity> = new Map([
  ['error', 'CRITICAL'],
  ['buffer', 'WARN'],
])

/** A playback error is CRITICAL, buffering is WARN, all else has no severity. */
export const severityOf = (notification: Notification): Severity | null =>
  severityOfTrigger.get(triggerOf(notification) ?? '') ?? null

/** Fields with the time of a notification, the most precise first. */
const timeFields = ['unixtime', 'utctime', 'timestamp']

/** Epoch milliseconds; undefined if no field is a valid time. A time without a zone is UTC, as `utctime` is. */
export const timeOf = (notification: Notification, reference: number): number | undefined => {
  const readIso = createTimeReader('iso', { zone: utc, reference })
  const read = (value: unknown): number => {
    if (typeof value === 'number') return epochMilliseconds(value)
    if (typeof value !== 'string') return Number.NaN
    return /^\d+(?:\.\d+)?$/.test(value) ? readEpoch(value) : readIso(value)
  }
  return timeFields.map((name) => read(notification[name])).find((time) => !Number.isNaN(time))
}

const written = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[\s"=]/.test(text) ? JSON.stringify(text) : text
}

/** A readable and searchable line: `action=buffer user=kim title="Night Train"`. */
export const textOf = (notification: Notification): string =>
  Object.entries(notification)
    .map(([name, value]) => `${/^[\w.@/-]+$/.test(name) ? name : JSON.stringify(name)}=${written(value)}`)
    .join(' ')
