import { type Erase, foldIdentifier, identifies, type Person } from '../erasure/person.ts'
import type { Db } from '../store/tables.ts'

const records = (db: Db, person: Person) =>
  db
    .selectFrom('sellers')
    .select(['platform_seller_id', 'username'])
    .where('platform', '=', person.platform)
    .where((eb) => eb.or([identifies('platform_seller_id', person), identifies('username', person)]))

/** Identifiers of a person in the records of sellers, in addition to those of the notification: a name may be stored with another id. */
export const moreIdentifiers = async (db: Db, person: Person): Promise<readonly string[]> => {
  const rows = await records(db, person).execute()
  const found = rows.flatMap(({ platform_seller_id, username }) => [platform_seller_id, username])
  return [...new Set(found.filter((identifier) => identifier !== '').map(foldIdentifier))]
}

/** Deletes the shared record of a seller. */
export const eraseSellers: Erase = async ({ db }, person) => {
  const { numDeletedRows } = await db
    .deleteFrom('sellers')
    .where('platform', '=', person.platform)
    .where((eb) => eb.or([identifies('platform_seller_id', person), identifies('username', person)]))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
