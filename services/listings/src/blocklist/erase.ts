import { type Erase, identifies } from '../erasure/person.ts'

/** Deletes a seller from the shared blocklist and from those of guests. */
export const eraseBlocked: Erase = async ({ db }, person) => {
  const { numDeletedRows } = await db
    .deleteFrom('blocklist')
    .where('platform', '=', person.platform)
    .where((eb) => eb.or([identifies('platform_seller_id', person), identifies('username', person)]))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
