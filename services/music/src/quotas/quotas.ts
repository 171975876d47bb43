import { serviceError } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { storedLayout } from '../audio/stored-audio.ts'
import type { MusicConfig } from '../config.ts'
import type { ChainRow, Db } from '../store/tables.ts'
import { chainsOf, generatingOf, samplesOf, separatingOf } from './usage.ts'

const megabyte = 1_000_000
const retrySeconds = 10

/** The user that stored audio counts for. */
export type Owner = Pick<Caller, 'userId' | 'kind'>

/** The owner of a chain, for work that no request of a user started: only local installations have a user `local`. */
export const ownerOf = ({ user_id: userId }: Pick<ChainRow, 'user_id'>): Owner => ({
  userId,
  kind: userId === 'local' ? 'local' : 'account',
})

/** Whether storage quotas apply: the single user of a local installation owns the disk. */
const hasQuota = ({ kind }: Owner): boolean => kind !== 'local'

/** Bytes of samples that a user may still store; undefined if unlimited. Throws 413 if there are too few. */
export const requireBytes = async (
  db: Db,
  owner: Owner,
  { userMegabytes }: MusicConfig,
  requested = 1,
): Promise<number | undefined> => {
  if (!hasQuota(owner)) return undefined
  const left = userMegabytes * megabyte - (await samplesOf(db, owner.userId)) * storedLayout.bytes
  if (left >= requested) return left
  throw serviceError(
    'too_large',
    `Your audio uses your ${userMegabytes} MB, or would with this: delete chains or nodes first.`,
  )
}

/** Throws 403 if the caller has the maximum number of chains. */
export const requireChainQuota = async (db: Db, owner: Owner, { userChains }: MusicConfig): Promise<void> => {
  if (!hasQuota(owner) || (await chainsOf(db, owner.userId)) < userChains) return
  throw serviceError(
    'forbidden',
    `You have ${userChains} ${userChains === 1 ? 'chain' : 'chains'}, which is the limit: delete one first.`,
  )
}

/** Throws 429 if the caller would exceed the maximum number of generations under way. */
export const requireGenerations = async (
  db: Db,
  userId: string,
  { userGenerations }: MusicConfig,
  added: number,
): Promise<void> => {
  if ((await generatingOf(db, userId)) + added <= userGenerations) return
  throw serviceError(
    'rate_limited',
    `You may have at most ${userGenerations} generations under way: wait until some are ready, or remove some.`,
    { retryAfterSeconds: retrySeconds },
  )
}

/** Throws if a restarted generation exceeds a limit of its owner. The transaction has restarted it, so it is already counted. */
export const requireRestart = async (db: Db, owner: Owner, config: MusicConfig): Promise<void> => {
  await requireGenerations(db, owner.userId, config, 0)
  await requireBytes(db, owner, config, 0)
}

/** Throws 429 if the caller has the maximum number of separations under way. */
export const requireSeparation = async (db: Db, userId: string, { userSeparations }: MusicConfig): Promise<void> => {
  if ((await separatingOf(db, userId)) < userSeparations) return
  throw serviceError(
    'rate_limited',
    `No more than ${userSeparations} of your nodes may be separated at the same time: wait until one is ready, or delete its stems.`,
    { retryAfterSeconds: retrySeconds },
  )
}
