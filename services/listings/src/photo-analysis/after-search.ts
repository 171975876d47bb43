import { webAddress } from '@trellis/kit/egress'
import type { Dependencies } from '../dependencies.ts'
import { type ListingRow, listingOf } from '../found/store.ts'
import { findHashedPhotos } from '../photo-hashes/store.ts'
import { type Found, rescore } from '../results/found.ts'
import type { UpdatePublisher } from '../results/update-publisher.ts'
import { photoIdentity } from '../scoring/batch.ts'
import { findAnalysed } from '../scoring/store.ts'
import { sellersForUser } from '../sellers/for-user.ts'
import { progressOf, wakeTopic } from './progress.ts'
import { type NewTask, type Queued, queueTasks } from './tasks.ts'
import { visionModel } from './vision.ts'

/** The search whose listings are analysed. */
export type AnalysedSearch = {
  /** Owner of the listings. */
  readonly owner: string
  readonly publisher: UpdatePublisher
  readonly signal: AbortSignal
  /** Whether to publish the scores that the photos change. */
  readonly waits: boolean
}

/** Tasks for the listings whose first photo has not been compared yet, or not been analysed where a model is configured. */
const tasksFor = async (dependencies: Dependencies, rows: readonly ListingRow[], owner: string): Promise<NewTask[]> => {
  const { db } = dependencies
  const ids = rows.map(({ id }) => id)
  const hashed = await findHashedPhotos(db, ids)
  const analysed = visionModel(dependencies) === undefined ? undefined : await findAnalysed(db, ids)
  return rows.flatMap((row) => {
    const photo = webAddress(listingOf(row).photoUrls[0] ?? '')
    if (photo === undefined) return []
    const known = hashed.get(row.id)
    const isCompared = known !== undefined && photoIdentity(known) === photoIdentity(photo)
    if (isCompared && (analysed === undefined || analysed.has(row.id))) return []
    const parameters = { photo_url: photo, listing_title: row.title, user_id: owner }
    return [{ jobId: row.id, stage: isCompared ? ('vision' as const) : ('hash' as const), parameters }]
  })
}

/** Queues the analysis of a search's photos. If the queue is full, the rest is dropped, with a warning: the next search queues it again. */
const queuePhotos = async (dependencies: Dependencies, rows: readonly ListingRow[], owner: string): Promise<Queued> => {
  const { db, bus, log, now } = dependencies
  const queued = await queueTasks(db, await tasksFor(dependencies, rows, owner), now())
  if (queued.dropped > 0) log.warn({ dropped: queued.dropped }, 'listings: photo analysis queue is full, tasks dropped')
  if (queued.active.length > 0) await bus.publish(wakeTopic, { queued: queued.active.length })
  return queued
}

/**
 * Runs after a search whose owner has the feature: queues the analysis of its photos, and publishes the scores that it changes until all are done, the
 * search ends, or it has waited long enough: later results are stored, and appear when a listing is requested or found again.
 */
export const analysePhotos = async (
  dependencies: Dependencies,
  found: Found,
  { owner, publisher, signal, waits }: AnalysedSearch,
): Promise<void> => {
  if (!waits) {
    await queuePhotos(dependencies, found.rows, owner)
    return
  }
  const byId = new Map(found.rows.map((row) => [row.id, row]))
  const left = new AbortController()
  const until = AbortSignal.any([signal, left.signal])
  // Subscribed before the tasks are queued, so that no result is missed.
  const deliveries = dependencies.bus.subscribe(progressOf(owner), { after: 'latest', signal: until })
  const timer = setTimeout(() => left.abort(), dependencies.config.photoWaitSeconds * 1000)
  try {
    const pending = new Set((await queuePhotos(dependencies, found.rows, owner)).active)
    if (pending.size === 0) return
    for await (const delivery of deliveries) {
      // Results were missed: they are stored, and the next search shows them.
      if (delivery.kind === 'gap') return
      const { listingId, hasChanged, isLast } = delivery.event
      const row = byId.get(listingId)
      if (row !== undefined && hasChanged) {
        const sellers = await sellersForUser(dependencies, owner, [row.seller_platform_id])
        await rescore(dependencies, [row], { ...found, sellers }, publisher)
      }
      if (isLast) pending.delete(listingId)
      if (pending.size === 0) return
    }
  } finally {
    clearTimeout(timer)
    left.abort()
  }
}
