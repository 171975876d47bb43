import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { Dependencies } from '../dependencies.ts'
import { createBatchBuilder } from '../entries/batch-builder.ts'
import type { Origin, StoredEntry } from '../entries/entry.ts'
import { entryIdOf } from '../entries/identity.ts'
import { isoOf } from '../entries/iso-time.ts'
import { severityCode } from '../entries/severity-code.ts'
import { plainFormat } from '../formats/active-formats.ts'
import { type Notification, severityOf, textOf, timeOf } from './notification.ts'

const origin: Origin = { sourceId: 'media-monitor', branch: null, tenantId: null, format: plainFormat }

/** Equal notifications at the same time are distinct entries; this bounds how many replicas may receive them concurrently. */
const maxTries = 8
const retryAfterSeconds = 5

const notStored = (cause?: unknown) =>
  serviceError('unavailable', 'The notification could not be stored. Send it again.', { cause, retryAfterSeconds })

/**
 * Stores a notification and returns its entry once it is durable and searchable. Its sequence is the microsecond of its arrival, or the next
 * free one: every notification becomes an entry, whatever its contents.
 */
export const storeNotification = async (
  { engine, now }: Pick<Dependencies, 'engine' | 'now'>,
  notification: Notification,
): Promise<StoredEntry> => {
  const arrived = now()
  const time = timeOf(notification, arrived) ?? arrived
  const severity = severityOf(notification)
  const text = textOf(notification).toWellFormed()
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const sequence = arrived * 1_000 + attempt
    const builder = createBatchBuilder(1, Buffer.byteLength(text))
    builder.add({
      origin,
      sequence,
      time,
      // 0 means that the severity is known to be none: words of a title are not interpreted.
      severity: severity === null ? 0 : severityCode[severity],
      repeatCount: 1,
      text,
      truncated: false,
      outOfOrder: false,
      sender: { fields: { ...notification } },
    })
    const result = await engine.ingest(builder.finish(arrived)).catch((cause: unknown) => {
      throw isServiceError(cause) ? cause : notStored(cause)
    })
    if (result.entries === 0) continue
    const entryId = entryIdOf({ sourceId: origin.sourceId, sequence, timestampIso: isoOf(time), text })
    const stored = await engine.find(entryId)
    if (stored) return stored
    throw notStored()
  }
  throw notStored()
}
