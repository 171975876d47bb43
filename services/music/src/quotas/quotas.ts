import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { STORED_LAYOUT } from '../audio/stored-audio.ts'
import type { MusicConfig } from '../config.ts'
import type { Db } from '../store/tables.ts'
import { chainsOf, generatingOf, samplesOf } from './usage.ts'

const MEGABYTE = 1_000_000
const RETRY_SECONDS = 10

/** Whether quotas of what is stored apply: the one user of a local installation owns the disk. */
const hasQuota = ({ kind }: Caller): boolean => kind !== 'local'

/** How many bytes of samples the caller may still store; undefined for any number. Throws 413 where none are left. */
export const requireBytes = async (
  db: Db,
  caller: Caller,
  { userMegabytes }: MusicConfig,
  requested = 1,
): Promise<number | undefined> => {
  if (!hasQuota(caller)) return undefined
  const left = userMegabytes * MEGABYTE - (await samplesOf(db, caller.userId)) * STORED_LAYOUT.bytes
  if (left >= requested) return left
  throw serviceError(
    'too_large',
    `Your audio takes up its ${userMegabytes} MB, or would with this: delete chains or nodes first.`,
  )
}

/** Throws 403 where the caller has as many chains as they may. */
export const requireChainPlace = async (db: Db, caller: Caller, { userChains }: MusicConfig): Promise<void> => {
  if (!hasQuota(caller) || (await chainsOf(db, caller.userId)) < userChains) return
  throw serviceError('forbidden', `You have ${userChains} chains, which is the limit: delete one first.`)
}

/** Throws 429 where more generations would be under way for the caller than may be. */
export const requireGenerations = async (
  db: Db,
  userId: string,
  { userGenerations }: MusicConfig,
  added: number,
): Promise<void> => {
  if ((await generatingOf(db, userId)) + added <= userGenerations) return
  throw serviceError(
    'rate_limited',
    `At most ${userGenerations} generations of yours may be under way: wait until some are ready, or remove some.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )
}
