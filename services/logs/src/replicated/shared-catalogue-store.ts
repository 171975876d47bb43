import { serviceError } from '@trellis/kit/errors'
import { createLeases } from '@trellis/kit/leases'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { isOfSource } from '../search/filters.ts'
import {
  type AmendmentTables,
  countOverrides,
  deletedSourcesAfter,
  deleteFolded,
  deleteFoldedBefore,
  expireTombstone,
  hasFolded,
  hasOverridden,
  markFolded,
  raiseFloor,
  readAmendments,
  readFloor,
  writeAmendments,
} from '../segments/amendment-store.ts'
import { maxOverrides } from '../segments/amendments.ts'
import { leaseRows } from './lease-rows.ts'
import type { NewSegment, Receipt, SharedCatalogue, SharedSegment } from './shared-catalogue.ts'
import type { SharedCatalogueTables, SharedSegmentTable } from './shared-catalogue-tables.ts'

type Db = Kysely<SharedCatalogueTables & AmendmentTables>

/** A message of the append log may wait this long; sources deleted meanwhile must hide its entries. */
const tombstoneMilliseconds = 30 * 86_400_000

const readState = async (db: Db) => {
  const { version, forgotten } = await db
    .selectFrom('log_shared_state')
    .select(['version', 'forgotten'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  return { version: Number(version), prunedVersion: Number(forgotten) }
}

const segmentsThatCount = (db: Db) =>
  db
    .selectFrom('log_shared_segments')
    .selectAll()
    .where('replaced_version', 'is', null)
    .orderBy('version')
    .orderBy('key')
    .execute()

/** One statement, so that additions and replacements are read from the same snapshot. */
const segmentsChangedAfter = (db: Db, version: number) =>
  db
    .selectFrom('log_shared_segments')
    .selectAll()
    .where((row) => row.or([row('version', '>', version), row('replaced_version', '>', version)]))
    .orderBy('version')
    .orderBy('key')
    .execute()

/**
 * Advances to the next version if the current one is still `after`. The row stays locked until the transaction ends, so versions commit in order.
 */
const advanceFrom = (db: Db, after: number) =>
  db
    .updateTable('log_shared_state')
    .set({ version: after + 1 })
    .where('id', '=', 1)
    .where('version', '=', after)
    .returning('version')
    .executeTakeFirst()

const advance = async (db: Db): Promise<number> => {
  const { version } = await db
    .updateTable('log_shared_state')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', 1)
    .returning('version')
    .executeTakeFirstOrThrow()
  return Number(version)
}

const insertSegment = (db: Db, row: SharedSegmentTable) =>
  db
    .insertInto('log_shared_segments')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()

const insertReceipts = (db: Db, receipts: readonly Receipt[], writtenAt: number) =>
  db
    .insertInto('log_receipts')
    .values(receipts.map((receipt) => ({ ...receipt, written_at: writtenAt })))
    .onConflict((conflict) => conflict.column('message').doNothing())
    .execute()

const markReplaced = (db: Db, keys: readonly string[], mark: { replaced_version: number; replaced_at: number }) =>
  db
    .updateTable('log_shared_segments')
    .set(mark)
    .where('key', 'in', [...keys])
    .where('replaced_version', 'is', null)
    .returning('key')
    .execute()

const newestReplacement = (db: Db, keys: readonly string[]) =>
  db
    .selectFrom('log_shared_segments')
    .select((row) => row.fn.coalesce(row.fn.max('replaced_version'), row.lit(0)).as('newest'))
    .where('key', 'in', [...keys])
    .executeTakeFirstOrThrow()

/** Whether a segment that may have had an entry of this time was replaced after a version. */
const isReplacedAfter = async (db: Db, version: number, time: number): Promise<boolean> =>
  (await db
    .selectFrom('log_shared_segments')
    .select('key')
    .where('replaced_version', '>', version)
    .where('first_time', '<=', time)
    .where('last_time', '>=', time)
    .limit(1)
    .executeTakeFirst()) !== undefined

const toTable = (segment: NewSegment, version: number, contentVersion: number): SharedSegmentTable => ({
  key: segment.key,
  bytes: segment.bytes,
  checksum: segment.checksum,
  documents: segment.documents,
  text_bytes: segment.textBytes,
  words: segment.words,
  first_time: segment.firstTime,
  last_time: segment.lastTime,
  version,
  content_version: contentVersion,
  replaced_version: null,
  replaced_at: null,
})

/** A database may return bigints as text. */
const fromTable = (row: SharedSegmentTable): SharedSegment => ({
  key: row.key,
  bytes: Number(row.bytes),
  checksum: Number(row.checksum),
  documents: row.documents,
  textBytes: Number(row.text_bytes),
  words: Number(row.words),
  firstTime: row.first_time,
  lastTime: row.last_time,
  version: Number(row.version),
  contentVersion: Number(row.content_version),
})

const versionsOf = (row: SharedSegmentTable): number => Math.max(Number(row.version), Number(row.replaced_version ?? 0))

/** Another change came first; rolls the transaction back. */
class Overtaken extends Error {}

const unlessOvertaken = async (change: () => Promise<unknown>): Promise<boolean> => {
  try {
    await change()
    return true
  } catch (error) {
    if (error instanceof Overtaken) return false
    throw error
  }
}

export type SharedCatalogueOptions = { db: Db; now: () => number }

/** The catalogue as rows of a store that replicas share. */
export const createSharedCatalogue = ({ db, now }: SharedCatalogueOptions): SharedCatalogue => {
  const all = async () => {
    // Read before the rows: a version that is too old only makes the next call read more.
    const { version } = await readState(db)
    const added = (await segmentsThatCount(db)).map(fromTable)
    return {
      version: Math.max(version, ...added.map((row) => row.version)),
      isWhole: true,
      added,
      removed: [],
      passed: [],
      amendments: await readAmendments(db),
    }
  }
  /**
   * Read after the rows of segments, so that all deletions from before a new segment are included. The floor is the version of the last change.
   */
  const amendmentsAfter = async (version: number) => ((await readFloor(db)) > version ? readAmendments(db) : undefined)
  return {
    changes: async (after) => {
      if (after === undefined) return all()
      const { version } = await readState(db)
      if (version === after) return undefined
      const rows = await segmentsChangedAfter(db, after)
      // Read last: rows that are pruned before they are read can no longer show that a segment was replaced.
      if ((await readState(db)).prunedVersion > after) return all()
      const amendments = await amendmentsAfter(after)
      return {
        version: Math.max(version, ...rows.map(versionsOf)),
        isWhole: false,
        added: rows.filter((row) => row.replaced_version === null).map(fromTable),
        removed: rows.filter((row) => row.replaced_version !== null).map(({ key }) => key),
        passed: rows.filter((row) => row.replaced_version !== null && Number(row.version) > after).map(fromTable),
        ...(amendments && { amendments }),
      }
    },
    commit: ({ after, segment, receipts }) =>
      unlessOvertaken(() =>
        db.transaction().execute(async (transaction) => {
          const next = await advanceFrom(transaction, after)
          if (!next) throw new Overtaken()
          const version = Number(next.version)
          if (!(await insertSegment(transaction, toTable(segment, version, version)))) throw new Overtaken()
          if (receipts.length > 0) await insertReceipts(transaction, receipts, now())
        }),
      ),
    merge: ({ segment, contentVersion, replaced, folded = [], dropped }) =>
      unlessOvertaken(() =>
        db.transaction().execute(async (transaction) => {
          const version = await advance(transaction)
          const mark = { replaced_version: version, replaced_at: now() }
          const marked = await markReplaced(transaction, replaced, mark)
          if (marked.length !== replaced.length) throw new Overtaken()
          for (const one of folded) await markFolded(transaction, one, now())
          if (dropped) {
            const { after, overrides, firstTime, lastTime } = dropped
            if (await hasOverridden(transaction, after, firstTime, lastTime)) throw new Overtaken()
            for (const one of overrides) await deleteFolded(transaction, one)
            if (overrides.length > 0) await raiseFloor(transaction, version)
          }
          if (segment && !(await insertSegment(transaction, toTable(segment, version, contentVersion))))
            throw new Overtaken()
        }),
      ),
    version: async () => (await readState(db)).version,
    deleteSource: (source, left) =>
      transact(db, async (transaction) => {
        // Waits for concurrent changes.
        const position = await advance(transaction)
        left?.throwIfAborted()
        await writeAmendments(transaction, { tombstone: { source, position } }, now())
        await raiseFloor(transaction, position)
        return position
      }),
    override: (override, after, left) =>
      transact(db, async (transaction) => {
        const position = await advance(transaction)
        left?.throwIfAborted()
        const deleted = await deletedSourcesAfter(transaction, after)
        if (deleted.some(({ source }) => isOfSource(override.sourceId, source))) return false
        // The entry may have expired with a segment whose row has been deleted since.
        if ((await readState(transaction)).prunedVersion > after) return false
        if (await isReplacedAfter(transaction, after, override.time)) return false
        if ((await countOverrides(transaction)) >= maxOverrides)
          throw serviceError('unavailable', 'Too many severities wait to be written into segments. Try again later.', {
            retryAfterSeconds: 60,
          })
        await writeAmendments(transaction, { override: { ...override, position } }, now())
        await raiseFloor(transaction, position)
        return true
      }),
    expireTombstones: async (tombstones) => {
      for (const tombstone of tombstones) await expireTombstone(db, tombstone, now() - tombstoneMilliseconds)
    },
    deleteFoldedBefore: async (before) => {
      if (!(await hasFolded(db, before))) return
      await transact(db, async (transaction) => {
        // Replicas reload the overrides: a replica that still had them would apply them to the same entries sent again.
        await raiseFloor(transaction, await advance(transaction))
        await deleteFoldedBefore(transaction, before)
      })
    },
    receipts: async (messages) => {
      if (messages.length === 0) return []
      return db
        .selectFrom('log_receipts')
        .select(['message', 'entries', 'duplicates'])
        .where('message', 'in', [...messages])
        .execute()
    },
    deleteReceiptsBefore: async (before) => {
      await db.deleteFrom('log_receipts').where('written_at', '<', before).execute()
    },
    replacedBefore: async (moment) => {
      const rows = await db
        .selectFrom('log_shared_segments')
        .select('key')
        .where('replaced_at', '<', moment)
        .orderBy('replaced_version')
        .limit(1_000)
        .execute()
      return rows.map(({ key }) => key)
    },
    deleteReplaced: async (keys) => {
      if (keys.length === 0) return
      await db.transaction().execute(async (transaction) => {
        const { newest } = await newestReplacement(transaction, keys)
        await transaction
          .updateTable('log_shared_state')
          .set({ forgotten: Number(newest) })
          .where('id', '=', 1)
          .where('forgotten', '<', Number(newest))
          .execute()
        await transaction
          .deleteFrom('log_shared_segments')
          .where('key', 'in', [...keys])
          .where('replaced_version', 'is not', null)
          .execute()
      })
    },
    condemn: async (key) => {
      const nothing = { key, bytes: 0, checksum: 0, documents: 0, textBytes: 0, words: 0, firstTime: 0, lastTime: 0 }
      const mark = { replaced_version: 0, replaced_at: now() }
      return (await insertSegment(db, { ...toTable(nothing, 0, 0), ...mark })) !== undefined
    },
    leases: createLeases({ ...leaseRows(db), now }),
  }
}
