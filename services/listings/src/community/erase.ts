import { type Erase, identifies } from '../erasure/person.ts'

/** Deletes users' judgements of a seller. They may name the seller with the platform and two colons before the id. */
export const eraseCommunitySignals: Erase = async ({ db }, person) => {
  const { platform, identifiers } = person
  const withPlatform = identifiers.map((identifier) => `${platform}::${identifier}`)
  const { numDeletedRows } = await db
    .deleteFrom('community_signals')
    .where(identifies('seller_id', { platform, identifiers: [...identifiers, ...withPlatform] }))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
