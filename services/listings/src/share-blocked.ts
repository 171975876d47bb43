import type { BlocklistRow } from './blocklist/store.ts'
import { publishSignal } from './community/publish-signal.ts'
import type { Dependencies } from './dependencies.ts'
import { readPreferences } from './preferences/store.ts'

/** Publishes a seller that a user has added to the blocklist, if the user's preferences allow it. Never throws: a failure is logged. */
export const shareBlocked =
  (dependencies: Pick<Dependencies, 'db' | 'config' | 'log' | 'now'>) =>
  async (
    userId: string,
    entry: Pick<BlocklistRow, 'platform' | 'platform_seller_id'>,
    flags: readonly string[],
  ): Promise<void> => {
    const { db, config, log } = dependencies
    if (config.communityDatabase === undefined) return
    try {
      if ((await readPreferences(db, userId)).get('community.blocklist_share') !== true) return
    } catch (error) {
      log.warn({ err: error }, 'community: the preference for sharing could not be read')
      return
    }
    await publishSignal(dependencies, {
      platform: entry.platform,
      platformSellerId: entry.platform_seller_id,
      flags,
    })
  }
