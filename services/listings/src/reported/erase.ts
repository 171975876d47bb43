import { type Erase, identifies } from '../erasure/person.ts'

/** Deletes a seller from the lists of all users who have reported them. */
export const eraseReports: Erase = async ({ db }, person) => {
  const { numDeletedRows } = await db
    .deleteFrom('reported_sellers')
    .where('platform', '=', person.platform)
    .where((eb) => eb.or([identifies('platform_seller_id', person), identifies('username', person)]))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
