import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type Candidate, type Decision, decide, type KnownPrice, singlePrice } from './decide.ts'
import { type AlertContent, addToContent, contentOf } from './delivery-content.ts'
import { trimAlertedListings, trimAlerts } from './store.ts'
import type { AlertRow, AlertTables, Channel } from './tables.ts'

type Db = Kysely<AlertTables>

/** What one run of a monitor found, for its user. */
export type FoundByMonitor = {
  readonly userId: string
  readonly savedSearch: { readonly id: number; readonly name: string }
  readonly minTrustScore: number
  readonly candidates: readonly Candidate[]
  readonly now: Date
}

/** Maximum alerts of one run; the rest follow with the next runs. */
const maxPerRun = 500
const idsPerStatement = 500
const rowsPerStatement = 50

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

const keyOf = ({ platform, platformListingId }: Pick<Candidate, 'platform' | 'platformListingId'>): string =>
  `${platform} ${platformListingId}`

const knownPrices = async (db: Db, { userId, candidates }: FoundByMonitor): Promise<Map<string, KnownPrice>> => {
  const known = new Map<string, KnownPrice>()
  for (const ids of chunksOf(candidates, idsPerStatement)) {
    const rows = await db
      .selectFrom('alerted_listings')
      .selectAll()
      .where('user_id', '=', userId)
      .where(
        'platform_listing_id',
        'in',
        ids.map(({ platformListingId }) => platformListingId),
      )
      .execute()
    for (const { platform, platform_listing_id, price, currency } of rows)
      known.set(keyOf({ platform, platformListingId: platform_listing_id }), { price, currency })
  }
  return known
}

/** Records that listings are still found, to the day, so that they are remembered for as long as they are offered. */
const recordSeen = async (db: Db, { userId, candidates, now }: FoundByMonitor): Promise<void> => {
  const today = now.toISOString().slice(0, 10)
  for (const ids of chunksOf(candidates, idsPerStatement))
    await db
      .updateTable('alerted_listings')
      .set({ seen_on: today })
      .where('user_id', '=', userId)
      .where(
        'platform_listing_id',
        'in',
        ids.map(({ platformListingId }) => platformListingId),
      )
      .where('seen_on', '<', today)
      .execute()
}

/** Records the prices in alerts, to compare later ones with. */
const recordPrices = async (
  db: Db,
  { userId, now }: FoundByMonitor,
  candidates: readonly Candidate[],
): Promise<void> => {
  for (const some of chunksOf(candidates, rowsPerStatement))
    await db
      .insertInto('alerted_listings')
      .values(
        some.map((candidate) => ({
          user_id: userId,
          platform: candidate.platform,
          platform_listing_id: candidate.platformListingId,
          price: singlePrice(candidate),
          currency: candidate.currency,
          seen_on: now.toISOString().slice(0, 10),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'platform', 'platform_listing_id']).doUpdateSet((row) => ({
          price: row.ref('excluded.price'),
          currency: row.ref('excluded.currency'),
          seen_on: row.ref('excluded.seen_on'),
        })),
      )
      .execute()
}

/** Listings whose alert the user has dismissed: only a lower price is worth another one. */
const dismissedAmong = async (db: Db, userId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const dismissed = new Set<string>()
  for (const some of chunksOf(ids, idsPerStatement)) {
    const rows = await db
      .selectFrom('alerts')
      .select('platform_listing_id')
      .where('user_id', '=', userId)
      .where('dismissed_at', 'is not', null)
      .where('platform_listing_id', 'in', some)
      .execute()
    for (const { platform_listing_id } of rows) dismissed.add(platform_listing_id)
  }
  return dismissed
}

type Decided = { readonly candidate: Candidate; readonly decision: Decision }

/** Records the price of listings whose last alert had none, or one in another currency. */
const recordFirstPrices = async (db: Db, found: FoundByMonitor, known: ReadonlyMap<string, KnownPrice>) => {
  const priced = found.candidates.filter((candidate) => {
    const last = known.get(keyOf(candidate))
    return (
      last !== undefined &&
      singlePrice(candidate) !== null &&
      (last.price === null || last.currency !== candidate.currency)
    )
  })
  await recordPrices(db, found, priced)
}

const decideAll = async (db: Db, found: FoundByMonitor): Promise<readonly Decided[]> => {
  const known = await knownPrices(db, found)
  await recordFirstPrices(db, found, known)
  const decided = found.candidates.flatMap((candidate) => {
    const decision = decide(candidate, known.get(keyOf(candidate)), found)
    return decision === undefined ? [] : [{ candidate, decision }]
  })
  const rises = decided.filter(({ decision }) => decision.kind === 'price_rise')
  const dismissed = await dismissedAmong(
    db,
    found.userId,
    rises.map(({ candidate }) => candidate.platformListingId),
  )
  return decided
    .filter(({ candidate, decision }) => decision.kind !== 'price_rise' || !dismissed.has(candidate.platformListingId))
    .slice(0, maxPerRun)
}

const alertRow = ({ userId, savedSearch, now }: FoundByMonitor, { candidate, decision }: Decided) => ({
  user_id: userId,
  kind: decision.kind,
  saved_search_id: savedSearch.id,
  saved_search_name: savedSearch.name,
  platform: candidate.platform,
  platform_listing_id: candidate.platformListingId,
  title: candidate.title,
  url: candidate.url,
  photo_url: candidate.photoUrl,
  seller_platform_id: candidate.sellerPlatformId,
  price: candidate.price,
  currency: candidate.currency,
  price_before: decision.priceBefore,
  buying_format: candidate.buyingFormat,
  ends_at: candidate.endsAt,
  composite_score: candidate.compositeScore,
  score_is_partial: candidate.isPartial ? 1 : 0,
  created_at: now.toISOString(),
})

/** Replaces the alerts of these listings, and records their prices. Returns them in the same order; the first has the highest id, as lists begin with that. */
const writeAlerts = async (db: Db, found: FoundByMonitor, decided: readonly Decided[]): Promise<AlertRow[]> => {
  const written: AlertRow[] = []
  for (const some of chunksOf(decided.toReversed(), rowsPerStatement)) {
    const ids = some.map(({ candidate }) => candidate.platformListingId)
    await db.deleteFrom('alerts').where('user_id', '=', found.userId).where('platform_listing_id', 'in', ids).execute()
    const rows = some.map((one) => alertRow(found, one))
    written.push(...(await db.insertInto('alerts').values(rows).returningAll().execute()))
  }
  await recordPrices(
    db,
    found,
    decided.map(({ candidate }) => candidate),
  )
  return written.toSorted((a, b) => b.id - a.id)
}

/**
 * Queues alerts for a channel. They are added to a delivery that no replica has tried yet, if there is one: what accumulates
 * in quiet hours or behind a failing receiver is sent together.
 */
const queueAlerts = async (
  db: Db,
  userId: string,
  channel: Channel,
  content: AlertContent,
  now: Date,
): Promise<void> => {
  const waiting = await db
    .selectFrom('alert_deliveries')
    .selectAll()
    .where('user_id', '=', userId)
    .where('channel', '=', channel)
    .where('attempts', '=', 0)
    .where('claimed_until', 'is', null)
    .executeTakeFirst()
  if (waiting !== undefined) {
    const content_json = JSON.stringify(addToContent(JSON.parse(waiting.content_json) as AlertContent, content))
    await db.updateTable('alert_deliveries').set({ content_json }).where('id', '=', waiting.id).execute()
    return
  }
  const row = { id: randomUUID(), user_id: userId, channel, content_json: JSON.stringify(content) }
  const at = now.toISOString()
  await db
    .insertInto('alert_deliveries')
    .values({ ...row, created_at: at, attempts: 0, next_attempt_at: at })
    .execute()
}

/** Channels that a user has switched on. */
const channelsOf = async (db: Db, userId: string): Promise<readonly Channel[]> => {
  const settings = await db.selectFrom('alert_settings').selectAll().where('user_id', '=', userId).executeTakeFirst()
  if (settings === undefined) return []
  return [
    ...(settings.webhook_url === null ? [] : (['webhook'] as const)),
    ...(settings.email === null || settings.email_confirmed === 0 ? [] : (['email'] as const)),
  ]
}

/**
 * Makes alerts of what a monitor found, and queues their deliveries. It must run in the transaction that ends the run, so that
 * each alert is made exactly once, and none without its deliveries. Returns the number of alerts.
 */
export const recordAlerts = async (transaction: Db, found: FoundByMonitor): Promise<number> => {
  const decided = await decideAll(transaction, found)
  await recordSeen(transaction, found)
  if (decided.length === 0) return 0
  const written = await writeAlerts(transaction, found, decided)
  for (const channel of await channelsOf(transaction, found.userId))
    await queueAlerts(transaction, found.userId, channel, contentOf(written), found.now)
  await trimAlerts(transaction, found.userId)
  await trimAlertedListings(transaction, found.userId)
  return written.length
}
