import type { Dependencies } from '../dependencies.ts'
import { type Found, rescore } from '../results/found.ts'
import type { UpdatePublisher } from '../results/update-publisher.ts'
import { sellerSources } from '../runs/marketplace.ts'
import { type Driven, startRun } from '../runs/marketplace-run.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { learnSeller } from './learn.ts'
import { chooseTasks } from './tasks.ts'

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

/**
 * Runs after a search: looks up the first sellers with missing data, and publishes the new scores of all their listings as
 * each lookup completes.
 */
export const enrichFound = async (dependencies: Dependencies, found: Found, search: EnrichedSearch): Promise<void> => {
  const sources = await sellerSources(dependencies)
  const tasks = sources === undefined ? [] : chooseTasks(found.rows, found.sellers, dependencies.now())
  if (sources === undefined || tasks.length === 0) return
  const outputs = await startRun(dependencies, {
    runId: `${search.sessionId}-sellers`,
    parentRunId: search.sessionId,
    input: { kind: 'enrich', ...sources, tasks },
    user: search.user,
    deadlineSeconds: search.deadlineSeconds,
    signal: search.signal,
    driven: search.driven,
  })
  const sellers = new Map(found.sellers)
  for await (const output of outputs) {
    if (output.kind !== 'seller' || (await learnSeller(dependencies, output)) === false) continue
    const { sellerId } = output
    const seller = (await sellersForUser(dependencies, search.owner, [sellerId])).get(sellerId)
    if (seller === undefined) continue
    sellers.set(sellerId, seller)
    const theirs = found.rows.filter(({ seller_platform_id }) => seller_platform_id === sellerId)
    await rescore(dependencies, theirs, { ...found, sellers }, search.publisher)
  }
}
