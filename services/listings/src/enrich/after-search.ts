import { setTimeout as sleep } from 'node:timers/promises'
import { findBlocked } from '../blocklist/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Found, rescore } from '../results/found.ts'
import type { UpdatePublisher } from '../results/update-publisher.ts'
import { sellerSources } from '../runs/marketplace.ts'
import { type Driven, startRun } from '../runs/marketplace-run.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { claimLookups, claimMilliseconds, isBeingLookedUp, releaseLookups } from '../sellers/lookups.ts'
import { findSellers } from '../sellers/store.ts'
import type { SellerTask } from '../worker/messages.ts'
import { learnSeller } from './learn.ts'
import { chooseTasks, isOpen } from './tasks.ts'

type Sources = NonNullable<Awaited<ReturnType<typeof sellerSources>>>

/** The search that sellers are looked up for. */
export type EnrichedSearch = {
  readonly sessionId: string
  readonly user: string
  /** User who owns the listings found. */
  readonly owner: string
  readonly deadlineSeconds: number
  readonly publisher: UpdatePublisher
  readonly signal: AbortSignal
  readonly driven: Driven
}

/** Scores a seller's listings again with what is known about them now, and publishes the scores. */
const rescoreSeller = async (
  dependencies: Dependencies,
  found: Found,
  { owner, publisher }: EnrichedSearch,
  sellerId: string,
): Promise<void> => {
  const sellers = await sellersForUser(dependencies, owner, [sellerId])
  if (!sellers.has(sellerId)) return
  const theirs = found.rows.filter(({ seller_platform_id }) => seller_platform_id === sellerId)
  await rescore(dependencies, theirs, { ...found, sellers: new Map([...found.sellers, ...sellers]) }, publisher)
}

/** Looks sellers up, and ends the claims on them. */
const lookUp = async (
  dependencies: Dependencies,
  found: Found,
  search: EnrichedSearch,
  { sources, tasks }: { readonly sources: Sources; readonly tasks: readonly SellerTask[] },
): Promise<void> => {
  const { db, config, now } = dependencies
  const release = (ids: readonly string[]) =>
    releaseLookups(db, config.platform, ids, { searchId: search.sessionId, now: now() })
  try {
    const outputs = await startRun(dependencies, {
      runId: `${search.sessionId}-sellers`,
      parentRunId: search.sessionId,
      input: { kind: 'enrich', ...sources, tasks },
      user: search.user,
      deadlineSeconds: search.deadlineSeconds,
      signal: search.signal,
      driven: search.driven,
    })
    for await (const output of outputs) {
      if (output.kind !== 'seller') continue
      const isLearned = (await learnSeller(dependencies, output)) !== false
      await release([output.sellerId])
      if (isLearned) await rescoreSeller(dependencies, found, search, output.sellerId)
    }
  } finally {
    await release(tasks.map(({ sellerId }) => sellerId))
  }
}

/** How often a search checks whether another has ended the lookup of a seller, in milliseconds. */
const pollMilliseconds = 500

/** Waits for the lookups of other searches, and uses what they have learned since this one read the sellers. */
const awaitOthers = async (
  dependencies: Dependencies,
  found: Found,
  search: EnrichedSearch,
  sellerIds: readonly string[],
): Promise<void> => {
  const { db, config, now } = dependencies
  for (let left = sellerIds; left.length > 0; ) {
    const rows = await findSellers(db, config.platform, left)
    const isUnderWay = (id: string) => isBeingLookedUp(rows.get(id)?.lookup_until, now())
    for (const id of left.filter((one) => !isUnderWay(one)))
      if (rows.get(id)?.fetched_at !== found.sellers.get(id)?.fetched_at)
        await rescoreSeller(dependencies, found, search, id)
    left = left.filter(isUnderWay)
    if (left.length > 0) await sleep(pollMilliseconds, undefined, { signal: search.signal })
  }
}

/** Claims sellers for a search, and returns the tasks of those that it must look up itself: not those that another search looks up, or just has. */
const claimTasks = async (
  { db, config, now }: Dependencies,
  { sessionId: searchId }: EnrichedSearch,
  tasks: readonly SellerTask[],
): Promise<readonly SellerTask[]> => {
  const { platform } = config
  const ids = tasks.map(({ sellerId }) => sellerId)
  const until = new Date(now().getTime() + claimMilliseconds)
  const claimed = await claimLookups(db, platform, ids, { searchId, now: now(), until })
  // Another search may have ended its lookup after this one had read the sellers.
  const sellers = await findSellers(db, platform, [...claimed])
  const own = tasks.filter((task) => {
    const seller = sellers.get(task.sellerId)
    return seller !== undefined && isOpen(seller, task, now())
  })
  const needless = [...claimed].filter((id) => !own.some(({ sellerId }) => sellerId === id))
  await releaseLookups(db, platform, needless, { searchId, now: now() })
  return own
}

/**
 * Runs after a search: looks up the sellers with missing data whose answers can change most, and publishes the new scores of all their listings as each
 * lookup completes. Sellers that another search is looking up are not looked up again: its answers are used.
 */
export const enrichFound = async (dependencies: Dependencies, found: Found, search: EnrichedSearch): Promise<void> => {
  const { db, config, now } = dependencies
  const sources = await sellerSources(dependencies)
  if (sources === undefined) return
  const blocked = await findBlocked(db, search.owner, config.platform, [...found.sellers.keys()])
  const tasks = chooseTasks(found.rows, found.sellers, now(), (id) => blocked.has(id))
  if (tasks.length === 0) return
  const own = await claimTasks(dependencies, search, tasks)
  const others = tasks.filter((task) => !own.includes(task)).map(({ sellerId }) => sellerId)
  const settled = await Promise.allSettled([
    own.length === 0 ? undefined : lookUp(dependencies, found, search, { sources, tasks: own }),
    awaitOthers(dependencies, found, search, others),
  ])
  for (const result of settled) if (result.status === 'rejected') throw result.reason
}
