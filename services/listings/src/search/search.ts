import { randomUUID } from 'node:crypto'
import { failure, isFailure, toFailure } from '@trellis/kit/errors'
import type { Caller } from '@trellis/kit/rpc'
import { campaignOf } from '../affiliate/affiliate.ts'
import { expiresAt, summariseSales } from '../comps/comps.ts'
import { findComp, type StoredComp, saveComp } from '../comps/store.ts'
import { learnSeller } from '../enrich/learn.ts'
import { chooseTasks } from '../enrich/tasks.ts'
import { type ListingRow, storeListings } from '../found/store.ts'
import type { FoundListings } from '../records.ts'
import { batchOf } from '../scoring/batch.ts'
import type { TrustScoreRow } from '../scoring/store.ts'
import { deriveHistories, findSellers, type SellerRow, upsertSellers } from '../sellers/store.ts'
import { createSession, endSession } from '../session/store.ts'
import type { World } from '../world.ts'
import { startRun } from './follow-run.ts'
import { createLeash } from './leash.ts'
import { marketplaceFor, siteFor, usesDemo } from './marketplace.ts'
import type { SearchPlan } from './plan.ts'
import { type SearchContext, scoreRows } from './scored.ts'
import { type Frame, updatesOf } from './updates.ts'
import {
  type Answer,
  emptyAnswer,
  listingMessage,
  sellerMessage,
  storedListingMessage,
  trustScoreMessage,
} from './wire.ts'
import type { WorkerOutput } from './worker/messages.ts'

/** How a search tells what it finds: all at once as the answer to a call, or bit by bit on its stream. */
export type Telling = 'answer' | 'stream'

/** How long a search and what follows it may take, in seconds. */
export const deadlineSeconds: Readonly<Record<Telling, number>> = { answer: 90, stream: 150 }

type Found = { rows: readonly ListingRow[]; sellers: ReadonlyMap<string, SellerRow>; context: SearchContext }

export type StartedSearch = {
  readonly sessionId: string
  /** The whole answer, in the telling `answer`; the update stream carries what follows it. */
  readonly answer: Promise<Answer>
  /** Settled when nothing more will come. */
  readonly ended: Promise<void>
}

/** Starts a search for a caller. Throws what keeps it from starting; later failures come with the answer or the stream. */
export const startSearch = async (
  world: World,
  plan: SearchPlan,
  caller: Caller,
  telling: Telling,
): Promise<StartedSearch> => {
  const { db, bus, config, log, now } = world
  const sessionId = randomUUID()
  const user = caller.userId
  const affiliateActive = config.affiliateCampaign !== undefined && config.affiliateCampaign.trim() !== ''
  const campaign = campaignOf({ optedOut: false, ownCampaign: undefined, siteCampaign: config.affiliateCampaign })
  const marketplace = await marketplaceFor(plan.adapter, world)
  const seconds = deadlineSeconds[telling]
  const leash = createLeash(world, sessionId, seconds)
  const publish = (event: Frame) => bus.publish(updatesOf(sessionId), { eventId: '', event })
  const kept = await findComp(db, config.platform, plan.terms.compQuery, now())
  const answered = Promise.withResolvers<Answer>()
  // Whoever asked for a stream never looks at the answer.
  answered.promise.catch(() => undefined)

  const toAnswer = ({ rows, sellers, context }: Found, scores: ReadonlyMap<string, TrustScoreRow>): Answer => ({
    ...emptyAnswer(plan.adapter, affiliateActive),
    listings: rows.map((row) => storedListingMessage(row, scores.get(row.platform_listing_id), campaign)),
    trustScores: Object.fromEntries([...scores].map(([id, score]) => [id, trustScoreMessage(score)])),
    sellers: Object.fromEntries([...sellers].map(([id, seller]) => [id, sellerMessage(seller, now())])),
    marketPrice: context.comp?.medianPrice ?? null,
    sessionId,
  })

  /** Stores what was found and reads the sellers back; undefined when the database stayed locked. */
  const keep = async (found: FoundListings, comp: StoredComp | undefined): Promise<Found | undefined> => {
    const at = now()
    const listings = found.listings.filter(({ title }) => plan.terms.matches(title))
    const context = { batch: batchOf(listings), comp, compQuery: plan.terms.compQuery }
    if (listings.length === 0) return { rows: [], sellers: new Map(), context }
    try {
      const rows = await storeListings(db, user, listings, at)
      await upsertSellers(db, found.sellers, at)
      const ids = [...new Set(rows.map(({ seller_platform_id }) => seller_platform_id).filter((id) => id !== ''))]
      await deriveHistories(db, user, await findSellers(db, config.platform, ids), at)
      return { rows, sellers: await findSellers(db, config.platform, ids), context }
    } catch (error) {
      if (!isFailure(error, 'unavailable')) throw error
      log.warn({ err: error }, 'the database stayed locked; a search is answered without scores')
      const raw = listings.map((listing) => listingMessage(listing, undefined, campaign))
      const answer = { ...emptyAnswer(plan.adapter, affiliateActive), listings: raw }
      answered.resolve(answer)
      if (telling === 'stream') await publish({ $case: 'listings', value: { type: 'listings', ...answer, sessionId } })
      return undefined
    }
  }

  const tellPrice = (comp: StoredComp | undefined) =>
    publish({
      $case: 'marketPrice',
      value: {
        type: 'market_price',
        marketPrice: comp?.medianPrice ?? null,
        sampleCount: comp?.sampleCount ?? 0,
        quartiles: comp?.quartiles ? JSON.stringify(comp.quartiles) : null,
      },
    })

  const tellScore = (
    row: ListingRow,
    score: TrustScoreRow,
    seller: SellerRow | undefined,
    comp: StoredComp | undefined,
  ) =>
    publish({
      $case: 'update',
      value: {
        type: 'update',
        platformListingId: row.platform_listing_id,
        trustScore: trustScoreMessage(score),
        seller: seller === undefined ? null : sellerMessage(seller, now()),
        marketPrice: comp?.medianPrice ?? null,
      },
    })

  /** Scores listings again and tells each; for a price that came late, and for a seller who became known. */
  const rescore = async (rows: readonly ListingRow[], { sellers, context }: Found): Promise<void> => {
    const scores = await scoreRows(world, rows, sellers, context)
    for (const row of rows) {
      const score = scores.get(row.platform_listing_id)
      if (score !== undefined) await tellScore(row, score, sellers.get(row.seller_platform_id), context.comp)
    }
  }

  const toComp = async ({ sales, failure: why }: Extract<WorkerOutput, { kind: 'sales' }>): Promise<StoredComp> => {
    if (why !== null) log.warn({ failure: why }, 'completed sales could not be looked up')
    const at = now()
    const comp = summariseSales(sales)
    await saveComp(db, config.platform, plan.terms.compQuery, comp, at)
    return { ...comp, fetchedAt: at.toISOString(), expiresAt: expiresAt(at).toISOString() }
  }

  /** Follows the run: listings are told as soon as they are scored, the price when it is known, then what it changes. */
  const gather = async (outputs: AsyncIterable<WorkerOutput>): Promise<Found | undefined> => {
    let comp = kept
    let found: Found | undefined
    const isStream = telling === 'stream'
    for await (const output of outputs) {
      if (output.kind === 'sales') {
        comp = await toComp(output)
        if (found === undefined) continue
        found = { ...found, context: { ...found.context, comp } }
        if (!isStream) continue
        await tellPrice(comp)
        if (comp.medianPrice !== null) await rescore(found.rows, found)
      } else if (output.kind === 'found') {
        found = await keep(output, comp)
        if (found === undefined) return undefined
        if (!isStream) continue
        const scores = await scoreRows(world, found.rows, found.sellers, found.context)
        await publish({ $case: 'listings', value: { type: 'listings', ...toAnswer(found, scores) } })
        if (comp !== undefined) await tellPrice(comp)
      }
    }
    if (found !== undefined && !isStream)
      answered.resolve(toAnswer(found, await scoreRows(world, found.rows, found.sellers, found.context)))
    return found
  }

  /** Looks up the first sellers of whom something is missing, and tells their listings' new scores as they come. */
  const enrich = async (found: Found): Promise<void> => {
    const site = await siteFor(world)
    const tasks = site === undefined ? [] : chooseTasks(found.rows, found.sellers)
    if (site === undefined || tasks.length === 0) return
    const input = { kind: 'enrich', marketplace: site, tasks } as const
    const sellers = new Map(found.sellers)
    for await (const output of await startRun(world, {
      runId: `${sessionId}-sellers`,
      input,
      user,
      deadlineSeconds: seconds,
      signal: leash.signal,
    })) {
      if (output.kind !== 'seller') continue
      const seller = await learnSeller(world, output)
      if (seller === undefined) continue
      sellers.set(seller.platform_seller_id, seller)
      const theirs = found.rows.filter(({ seller_platform_id }) => seller_platform_id === seller.platform_seller_id)
      await rescore(theirs, { ...found, sellers })
    }
  }

  const conclude = async (error: unknown): Promise<void> => {
    const wasStopped = leash.signal.aborted
    if (error !== undefined) {
      const failed = wasStopped ? stopFailure(leash.ranOut(), seconds) : toFailure(error)
      if (failed.kind === 'internal') log.error({ err: failed.cause ?? failed }, 'a search failed')
      answered.reject(failed)
      if (telling === 'stream' && !wasStopped)
        await publish({
          $case: 'searchFailed',
          value: { type: 'search_failed', status: failed.status, detail: failed.message },
        })
    }
    await publish({ $case: 'done', value: { reason: leash.ranOut() ? 'timeout' : null } })
    leash.release()
    await endSession(db, sessionId, now())
  }

  const conduct = async (outputs: AsyncIterable<WorkerOutput>): Promise<void> => {
    try {
      const found = await gather(outputs)
      if (found !== undefined) await enrichQuietly(found)
      await conclude(undefined)
    } catch (error) {
      await conclude(error)
    }
  }

  /** The search itself succeeded: what fails now leaves scores partial, and the log says why. */
  const enrichQuietly = async (found: Found): Promise<void> => {
    try {
      await enrich(found)
    } catch (error) {
      if (!leash.signal.aborted) log.warn({ err: error }, 'sellers could not be looked up')
    }
  }

  try {
    await createSession(
      db,
      { id: sessionId, userId: user, deadlineAt: new Date(now().getTime() + seconds * 1000) },
      now(),
    )
    const input = {
      kind: 'search',
      marketplace,
      requests: plan.requests,
      salesQuery: kept === undefined ? plan.terms.compQuery : null,
    } as const
    const outputs = await startRun(world, {
      runId: sessionId,
      input,
      user,
      deadlineSeconds: seconds,
      signal: leash.signal,
    })
    const ended = conduct(outputs).catch((error: unknown) => log.error({ err: error }, 'a search ended badly'))
    return { sessionId, answer: answered.promise, ended }
  } catch (error) {
    leash.release()
    throw error
  }
}

const stopFailure = (ranOut: boolean, seconds: number) =>
  ranOut
    ? failure('upstream_timeout', `The marketplace took longer than the ${seconds} s that a search may take.`)
    : failure('conflict', 'The search was cancelled.')

/** Starts a stream that ends at once with nothing found, for a blank query. */
export const startEmptySearch = async (world: World, adapter: 'api' | 'scraper', caller: Caller): Promise<string> => {
  const { db, bus, config, now } = world
  const sessionId = randomUUID()
  await createSession(db, { id: sessionId, userId: caller.userId, deadlineAt: now() }, now())
  const answer = emptyAnswer(adapter, (config.affiliateCampaign ?? '').trim() !== '')
  await bus.publish(updatesOf(sessionId), {
    eventId: '',
    event: { $case: 'listings', value: { type: 'listings', ...answer, sessionId } },
  })
  await bus.publish(updatesOf(sessionId), { eventId: '', event: { $case: 'done', value: { reason: null } } })
  await endSession(db, sessionId, now())
  return sessionId
}

/** The header that marks answers from the demo marketplace. */
export const demoHeader = ({ config }: World, head: { header: (name: string, value: string) => void }): void => {
  if (usesDemo(config)) head.header('x-marketplace', 'demo')
}
