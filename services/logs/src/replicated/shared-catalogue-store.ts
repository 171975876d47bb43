import { serviceError } from '@trellis/kit/errors'
import { createLeases } from '@trellis/kit/leases'
import { transact } from '@trellis/kit/store'
import type { Kysely } from 'kysely'
import { isOfSource } from '../search/filters.ts'
import {
  type AmendmentTables,
  buriedAfter,
  countOverrides,
  deleteFolded,
  forgetBurial,
  forgetFolded,
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

/** A message of the append log may wait so long; what was deleted meanwhile must not come back with it. */
const burialMilliseconds = 30 * 86_400_000

const readState = async (db: Db) => {
  const { version, forgotten } = await db
    .selectFrom('log_shared_state')
    .select(['version', 'forgotten'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  return { version: Number(version), forgotten: Number(forgotten) }
}

const segmentsThatCount = (db: Db) =>
  db
    .selectFrom('log_shared_segments')
    .selectAll()
    .where('replaced_version', 'is', null)
    .orderBy('version')
    .orderBy('key')
    .execute()

/** One statement, so that what was added and what was replaced are of the same moment. */
const segmentsChangedAfter = (db: Db, version: number) =>
  db
    .selectFrom('log_shared_segments')
    .selectAll()
    .where((row) => row.or([row('version', '>', version), row('replaced_version', '>', version)]))
    .orderBy('version')
    .orderBy('key')
    .execute()

/** The next version, if the last one is still `after`. The row is locked until the transaction ends, so versions come in order. */
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

/** Whether a segment was replaced after a version that may have had an entry of a time. */
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

/** A database may give bigints as text. */
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

/** A change that another came before; rolls its transaction back. */
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
    // Read before the rows: a version that is too old only has the next question asked again.
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
  /** Asked after the rows of segments: what was hidden before one of them came is known then. The floor is the version of the last change. */
  const amendmentsAfter = async (version: number) => ((await readFloor(db)) > version ? readAmendments(db) : undefined)
  return {
    changes: async (after) => {
      if (after === undefined) return all()
      const { version } = await readState(db)
      if (version === after) return undefined
      const rows = await segmentsChangedAfter(db, after)
      // Asked last: of what was forgotten before the rows were read there may be none left to say that it was replaced.
      if ((await readState(db)).forgotten > after) return all()
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
    merge: ({ segment, contentVersion, replaced, folded = [], leavesOut }) =>
      unlessOvertaken(() =>
        db.transaction().execute(async (transaction) => {
          const version = await advance(transaction)
          const mark = { replaced_version: version, replaced_at: now() }
          const marked = await markReplaced(transaction, replaced, mark)
          if (marked.length !== replaced.length) throw new Overtaken()
          for (const one of folded) await markFolded(transaction, one, now())
          if (leavesOut) {
            const { after, overrides, firstTime, lastTime } = leavesOut
            if (await hasOverridden(transaction, after, firstTime, lastTime)) throw new Overtaken()
            for (const one of overrides) await deleteFolded(transaction, one)
            if (overrides.length > 0) await raiseFloor(transaction, version)
          }
          if (segment && !(await insertSegment(transaction, toTable(segment, version, contentVersion))))
            throw new Overtaken()
        }),
      ),
    version: async () => (await readState(db)).version,
    bury: (source, left) =>
      transact(db, async (transaction) => {
        // Resolves when it is this change's turn.
        const place = await advance(transaction)
        left?.throwIfAborted()
        await writeAmendments(transaction, { bury: { source, place } }, now())
        await raiseFloor(transaction, place)
        return place
      }),
    override: (override, after, left) =>
      transact(db, async (transaction) => {
        const place = await advance(transaction)
        left?.throwIfAborted()
        const buried = await buriedAfter(transaction, after)
        if (buried.some(({ source }) => isOfSource(override.sourceId, source))) return false
        // It may have expired with a segment; rows of these are forgotten later.
        if ((await readState(transaction)).forgotten > after) return false
        if (await isReplacedAfter(transaction, after, override.time)) return false
        if ((await countOverrides(transaction)) >= maxOverrides)
          throw serviceError('unavailable', 'Too many severities wait to be written into segments. Try again later.', {
            retryAfterSeconds: 60,
          })
        await writeAmendments(transaction, { override: { ...override, place } }, now())
        await raiseFloor(transaction, place)
        return true
      }),
    settle: async (burials) => {
      for (const burial of burials) await forgetBurial(db, burial, now() - burialMilliseconds)
    },
    forgetFolded: async (before) => {
      if (!(await hasFolded(db, before))) return
      await transact(db, async (transaction) => {
        // Replicas read them again: one that still had them would apply them to the same entries sent again.
        await raiseFloor(transaction, await advance(transaction))
        await forgetFolded(transaction, before)
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
    forgetReceipts: async (before) => {
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
    forget: async (keys) => {
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
