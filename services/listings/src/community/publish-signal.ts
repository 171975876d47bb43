import { randomUUID } from 'node:crypto'
import type { Dependencies } from '../dependencies.ts'
import { countPublished, insertPublished } from './outbox-store.ts'

/** A seller that a user has added to the blocklist. */
export type BlocklistSignal = {
  readonly platform: string
  readonly platformSellerId: string
  readonly flags: readonly string[]
}

/** Maximum signals that wait while the community database cannot be reached; more are dropped. */
const maxWaiting = 10_000

/**
 * Publishes that a seller was added to the blocklist: as a confirmed scam, without the user. For users whose preference
 * `community.blocklist_share` is true. The signal is stored and sent in the background; nothing happens without a community
 * database. Never throws: a failure is logged.
 */
export const publishSignal = async (
  { db, config, log, now }: Pick<Dependencies, 'db' | 'config' | 'log' | 'now'>,
  { platform, platformSellerId, flags }: BlocklistSignal,
): Promise<void> => {
  if (config.communityDatabase === undefined) return
  try {
    if ((await countPublished(db)) >= maxWaiting) {
      log.warn({ maxWaiting }, 'community: too many signals wait to be published; one was dropped')
      return
    }
    const time = now()
    await insertPublished(db, {
      id: randomUUID(),
      platform,
      platform_seller_id: platformSellerId,
      signal_source: 'blocklist_add',
      flags_json: JSON.stringify(flags),
      created_at: time.toISOString(),
      attempts: 0,
      next_attempt_at: time.getTime(),
      claimed_until: 0,
      last_error: null,
    })
  } catch (error) {
    log.warn({ err: error }, 'community: a signal could not be stored for publication')
  }
}
