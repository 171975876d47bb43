import type { ExpressionBuilder } from 'kysely'
import { type Erase, foldIdentifier, identifies, type Person } from '../erasure/person.ts'
import type { Db, Tables } from '../store/tables.ts'

/** The columns that identify a seller: the immutable id survives a change of name. */
const isRecordOf = (person: Person) => (eb: ExpressionBuilder<Tables, 'sellers'>) =>
  eb.or([
    identifies('platform_seller_id', person),
    identifies('username', person),
    identifies('platform_user_id', person),
  ])

const records = (db: Db, person: Person) =>
  db
    .selectFrom('sellers')
    .select(['platform_seller_id', 'username', 'platform_user_id'])
    .where('platform', '=', person.platform)
    .where(isRecordOf(person))

/** Identifiers of a person in the records of sellers, in addition to those of the notification: a name may be stored with another id. */
export const moreIdentifiers = async (db: Db, person: Person): Promise<readonly string[]> => {
  const rows = await records(db, person).execute()
  const found = rows.flatMap((row) => [row.platform_seller_id, row.username, row.platform_user_id ?? ''])
  return [...new Set(found.filter((identifier) => identifier !== '').map(foldIdentifier))]
}

/** Deletes the shared record of a seller. */
export const eraseSellers: Erase = async ({ db }, person) => {
  const { numDeletedRows } = await db
    .deleteFrom('sellers')
    .where('platform', '=', person.platform)
    .where(isRecordOf(person))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
