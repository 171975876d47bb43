import { type Erase, identifies } from '../erasure/person.ts'
import { openCommunityDatabase } from './community-database.ts'

/** Deletes signals about a seller: those that wait to be published, and those in the community database, from whichever installation. */
export const erasePublishedSignals: Erase = async ({ db, config, log }, person) => {
  const waiting = await db
    .deleteFrom('published_signals')
    .where('platform', '=', person.platform)
    .where(identifies('platform_seller_id', person))
    .executeTakeFirst()
  if (config.communityDatabase === undefined) return Number(waiting.numDeletedRows)
  await using community = await openCommunityDatabase(config.communityDatabase, log)
  const published = await community.db
    .deleteFrom('seller_signals')
    .where('platform', '=', person.platform)
    .where(identifies('platform_seller_id', person))
    .executeTakeFirst()
  return Number(waiting.numDeletedRows) + Number(published.numDeletedRows)
}
