import type { Kysely } from 'kysely'
import { type Erase, foldIdentifier, identifies, type Person } from '../erasure/person.ts'
import type { Tables } from '../store/tables.ts'
import type { AlertContent } from './delivery-content.ts'
import type { AlertTables, DeliveryRow } from './tables.ts'

type Db = Kysely<AlertTables & Tables>

const rowsPerPage = 200

/** Deletes the record that users were alerted to a person's listings. */
const eraseAlertedListings = async (db: Db, person: Person): Promise<number> => {
  const isTheirs = identifies('seller_platform_id', person)
  const { platform } = person
  const found = db.selectFrom('listings').select('platform_listing_id').where('platform', '=', platform).where(isTheirs)
  const alerted = db.selectFrom('alerts').select('platform_listing_id').where('platform', '=', platform).where(isTheirs)
  const { numDeletedRows } = await db
    .deleteFrom('alerted_listings')
    .where('platform', '=', platform)
    .where((row) => row.or([row('platform_listing_id', 'in', found), row('platform_listing_id', 'in', alerted)]))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** The content of a delivery without a person's listings; undefined if it has none of them. */
const withoutPerson = (delivery: DeliveryRow, { platform, identifiers }: Person): AlertContent | undefined => {
  if (delivery.channel === 'confirmation') return undefined
  const content = JSON.parse(delivery.content_json) as AlertContent
  const alerts = content.alerts.filter(
    (alert) => alert.platform !== platform || !identifiers.includes(foldIdentifier(alert.seller_platform_id)),
  )
  return alerts.length === content.alerts.length ? undefined : { ...content, alerts }
}

/** Removes a person's listings from deliveries that are pending. One that is being sent meanwhile is deleted by the next pass. */
const erasePending = async (db: Db, person: Person): Promise<number> => {
  let erased = 0
  for (let after = ''; ; ) {
    const page = db.selectFrom('alert_deliveries').selectAll().where('id', '>', after).orderBy('id').limit(rowsPerPage)
    const rows = await page.execute()
    for (const row of rows) {
      const content = withoutPerson(row, person)
      if (content === undefined) continue
      erased += 1
      if (content.alerts.length === 0) await db.deleteFrom('alert_deliveries').where('id', '=', row.id).execute()
      else
        await db
          .updateTable('alert_deliveries')
          .set({ content_json: JSON.stringify(content) })
          .where('id', '=', row.id)
          .where('content_json', '=', row.content_json)
          .execute()
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerPage) return erased
    after = last.id
  }
}

/** Deletes alerts to a person's listings, and what is still to be sent of them. */
export const eraseAlerts: Erase = async ({ db }, person) => {
  const listings = await eraseAlertedListings(db, person)
  const pending = await erasePending(db, person)
  const { numDeletedRows } = await db
    .deleteFrom('alerts')
    .where('platform', '=', person.platform)
    .where(identifies('seller_platform_id', person))
    .executeTakeFirst()
  return Number(numDeletedRows) + listings + pending
}
