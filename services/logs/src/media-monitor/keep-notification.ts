import { isServiceError, serviceError } from '@trellis/kit/errors'
import type { Dependencies } from '../dependencies.ts'
import { createBatchBuilder } from '../entries/batch-builder.ts'
import type { Origin, StoredEntry } from '../entries/entry.ts'
import { entryIdOf } from '../entries/identity.ts'
import { isoOf } from '../entries/iso-time.ts'
import { severityCode } from '../entries/severity-code.ts'
import { plainFormat } from '../formats/in-force.ts'
import { type Notification, severityOf, textOf, timeOf } from './notification.ts'

const origin: Origin = { sourceId: 'media-monitor', branch: null, tenantId: null, format: plainFormat }

/** The same words at the same moment are two notifications; so many replicas may hear of at once. */
const maxTries = 8
const retryAfterSeconds = 5

const notKept = (cause?: unknown) =>
  serviceError('unavailable', 'The notification could not be kept. Send it again.', { cause, retryAfterSeconds })

/**
 * Keeps a notification and gives the entry that it became, once it is durable and searchable. Its number in its source is the microsecond
 * at which it was taken in, or the next that is free: every notification is an entry, whatever it says.
 */
export const keepNotification = async (
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
      // 0 is a severity that is known to be none: the words of a title do not count.
      severity: severity === null ? 0 : severityCode[severity],
      repeatCount: 1,
      text,
      truncated: false,
      outOfOrder: false,
      sender: { fields: { ...notification } },
    })
    const kept = await engine.ingest(builder.finish(arrived)).catch((cause: unknown) => {
      throw isServiceError(cause) ? cause : notKept(cause)
    })
    if (kept.entries === 0) continue
    const entryId = entryIdOf({ sourceId: origin.sourceId, sequence, timestampIso: isoOf(time), text })
    const stored = await engine.find(entryId)
    if (stored) return stored
    throw notKept()
  }
  throw notKept()
}
