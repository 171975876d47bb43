import type { Kysely } from 'kysely'
import type { AlertTables, Channel, DeliveryRow, SettingsRow } from './tables.ts'

type Db = Kysely<AlertTables>

/**
 * Deliveries that are due. One that was not tried yet waits while another of its user and channel is being tried, so it
 * collects the alerts that accumulate behind a failing receiver.
 */
export const dueDeliveries = (
  db: Db,
  { now, channels, limit }: { readonly now: Date; readonly channels: readonly Channel[]; readonly limit: number },
): Promise<DeliveryRow[]> =>
  db
    .selectFrom('alert_deliveries as due')
    .selectAll()
    .where('channel', 'in', channels)
    .where('next_attempt_at', '<=', now.toISOString())
    .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<', now.toISOString())]))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('alert_deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.user_id', '=', 'due.user_id')
            .whereRef('earlier.channel', '=', 'due.channel')
            .whereRef('earlier.attempts', '>', 'due.attempts'),
        ),
      ),
    )
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()

/** Claims a delivery for an attempt of this replica until a time; undefined while another has it, or it is gone. */
export const claimDelivery = (db: Db, id: string, now: Date, until: Date): Promise<DeliveryRow | undefined> =>
  db
    .updateTable('alert_deliveries')
    .set((row) => ({ claimed_until: until.toISOString(), attempts: row('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('next_attempt_at', '<=', now.toISOString())
    .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<', now.toISOString())]))
    .returningAll()
    .executeTakeFirst()

/** Extends the claim of the replica that is trying a delivery, unless another has taken over. */
export const renewClaim = async (db: Db, { id, attempts }: DeliveryRow, until: Date): Promise<void> => {
  await db
    .updateTable('alert_deliveries')
    .set({ claimed_until: until.toISOString() })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('claimed_until', 'is not', null)
    .execute()
}

/** Postpones a delivery that no replica is trying, without counting an attempt. */
export const postponeDelivery = async (db: Db, { id, attempts }: DeliveryRow, until: Date): Promise<void> => {
  await db
    .updateTable('alert_deliveries')
    .set({ next_attempt_at: until.toISOString() })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Queues another attempt after one that failed. */
export const retryDelivery = async (db: Db, { id, attempts }: DeliveryRow, at: Date): Promise<void> => {
  await db
    .updateTable('alert_deliveries')
    .set({ next_attempt_at: at.toISOString(), claimed_until: null })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute()
}

/** Makes the waiting deliveries of a user's channels due, whose time new settings may have changed. */
export const resumeDeliveries = async (
  db: Db,
  userId: string,
  { channels, now }: { readonly channels: readonly Channel[]; readonly now: Date },
): Promise<void> => {
  const at = now.toISOString()
  await db
    .updateTable('alert_deliveries')
    .set({ next_attempt_at: at })
    .where('user_id', '=', userId)
    .where('channel', 'in', channels)
    .where('next_attempt_at', '>', at)
    .where('claimed_until', 'is', null)
    .execute()
}

/** Deletes a delivery that was accepted or abandoned. */
export const deleteDelivery = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('alert_deliveries').where('id', '=', id).execute()
}

export const findSettings = (db: Db, userId: string): Promise<SettingsRow | undefined> =>
  db.selectFrom('alert_settings').selectAll().where('user_id', '=', userId).executeTakeFirst()

/** Records the outcome of a delivery, for the user to see. */
export const recordOutcome = async (
  db: Db,
  { user_id, channel }: DeliveryRow,
  outcome: { readonly deliveredAt: Date } | { readonly error: string },
): Promise<void> => {
  const isWebhook = channel === 'webhook'
  const change: Partial<SettingsRow> =
    'deliveredAt' in outcome
      ? isWebhook
        ? { webhook_delivered_at: outcome.deliveredAt.toISOString(), webhook_error: null }
        : { email_error: null, ...(channel === 'email' && { email_delivered_at: outcome.deliveredAt.toISOString() }) }
      : isWebhook
        ? { webhook_error: outcome.error }
        : { email_error: outcome.error }
  await db.updateTable('alert_settings').set(change).where('user_id', '=', user_id).execute()
}
