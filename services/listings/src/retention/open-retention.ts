import { type Rounds, startRounds } from '@trellis/kit/lifecycle'
import type { Dependencies } from '../dependencies.ts'
import { deleteOfUnseenGuests } from '../saved-searches/store.ts'
import { isGuest } from '../session/guests.ts'
import { deleteListings, surplusOf, unseenSince, usersBeyond } from './delete-listings.ts'
import {
  deleteEndedTasks,
  deleteExpiredComps,
  deleteGuestRows,
  deleteSellersWithoutListings,
  trimPriceChanges,
} from './other-rows.ts'

const day = 86_400_000
const roundMilliseconds = 3_600_000
const leaseName = 'retention'
/** Share of a user's maximum that a guest may have. */
const guestShare = 0.1

type RetentionDependencies = Pick<Dependencies, 'config' | 'db' | 'leases' | 'log' | 'now' | 'signal'>

/** Deletes listings that are too old, and those of users who have too many; returns their number. */
const deleteOldListings = async ({ config, db, now }: RetentionDependencies, signal: AbortSignal): Promise<number> => {
  const { guestDays, retentionDays, listingsPerUser } = config
  const before = (days: number) => new Date(now().getTime() - days * day)
  const guestMax = Math.ceil(listingsPerUser * guestShare)
  let deleted = await deleteListings(db, unseenSince(before(guestDays), { ofGuests: true }), signal)
  if (retentionDays > 0)
    deleted += await deleteListings(db, unseenSince(before(retentionDays), { ofGuests: false }), signal)
  for (const userId of await usersBeyond(db, guestMax))
    deleted += await deleteListings(db, surplusOf(userId, isGuest(userId) ? guestMax : listingsPerUser), signal)
  return deleted
}

/** Deletes everything whose time has passed, unless another replica is doing so. A round that is interrupted is completed by the next. */
export const sweepOnce = async (dependencies: RetentionDependencies): Promise<void> => {
  const { config, db, leases, log, now, signal } = dependencies
  await using lease = await leases.take(leaseName, signal)
  if (lease === undefined) return
  const deleted = await deleteOldListings(dependencies, lease.signal)
  await deleteOfUnseenGuests(db, new Date(now().getTime() - config.guestDays * day))
  await deleteGuestRows(db, config.guestDays, now())
  await deleteEndedTasks(db, now())
  await deleteExpiredComps(db, now())
  await trimPriceChanges(db)
  await deleteSellersWithoutListings(db, now())
  if (deleted > 0) log.info({ listings: deleted }, 'retention: listings deleted')
}

/** Deletes at the start and every hour what is older than its retention, until the signal of the dependencies aborts. */
export const openRetention = (dependencies: Dependencies): Rounds => {
  const { log, signal } = dependencies
  return startRounds({
    milliseconds: roundMilliseconds,
    startsAtOnce: true,
    signal,
    round: () => sweepOnce(dependencies),
    onFailure: (error) => log.warn({ err: error }, 'retention: old rows could not be deleted now'),
  })
}
