import type { Caller, Tier } from '@trellis/kit/rpc'
import type { Kysely } from 'kysely'
import type { ListingsConfig } from '../config.ts'
import { type PreferenceTables, readPreferences } from '../preferences/store.ts'
import { isGuest } from '../session/guests.ts'
import { campaignOf } from './affiliate.ts'

export type AffiliateUser = Pick<Caller, 'userId' | 'tier'>

/** Tiers whose users may have a campaign of their own. It is checked at each use: a tier may end after the preference was set. */
const tiersWithOwn: ReadonlySet<Tier> = new Set(['premium', 'ultra'])

const isVisitor = (userId: string) => userId === 'anonymous' || isGuest(userId)

/** The campaign that a user's links are wrapped with. Visitors and guests get the installation's, users with an account have a choice. */
export const campaignFor = async (
  db: Kysely<PreferenceTables>,
  { affiliateCampaign: siteCampaign }: Pick<ListingsConfig, 'affiliateCampaign'>,
  { userId, tier }: AffiliateUser,
): Promise<string | undefined> => {
  if (isVisitor(userId)) return campaignOf({ optedOut: false, ownCampaign: undefined, siteCampaign })
  const preferences = await readPreferences(db, userId)
  const own = preferences.get('affiliate.byok_ids.marketplace')
  return campaignOf({
    optedOut: preferences.get('affiliate.opt_out') === true,
    ownCampaign: typeof own === 'string' && tiersWithOwn.has(tier) ? own : undefined,
    siteCampaign,
  })
}
