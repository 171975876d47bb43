import type { StoreLocation } from '@trellis/kit/store'
import { openStore } from '@trellis/kit/store'
import { describe, expect, test } from 'vitest'
import { logsMigrations } from '../schemas.ts'
import type { AmendmentTables } from '../segments/amendment-store.ts'
import type { NewSegment } from './shared-catalogue.ts'
import { createSharedCatalogue } from './shared-catalogue-store.ts'
import type { SharedCatalogueTables } from './shared-catalogue-tables.ts'

/** A temporary database with the schema of the log service. */
export type Database = AsyncDisposable & { location: StoreLocation }

/** Two catalogues as two replicas have them, each with its own connection to one database. */
const withCatalogues = async (database: Database) => {
  let time = 1_000_000
  const open = () =>
    openStore<SharedCatalogueTables & AmendmentTables>({
      ...database.location,
      name: 'logs',
      migrations: logsMigrations,
    })
  const [mine, theirs] = [await open(), await open()]
  return {
    one: createSharedCatalogue({ db: mine.db, now: () => time }),
    other: createSharedCatalogue({ db: theirs.db, now: () => time }),
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    async [Symbol.asyncDispose]() {
      await mine.close()
      await theirs.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
const segment = (key: string): NewSegment => ({
  key,
  bytes: 5_000_000_000,
  checksum: 4_000_000_000,
  documents: 10,
  textBytes: 100,
  words: 20,
  firstTime: 1.5,
  lastTime: 2.5,
})
const keys = (rows: readonly { key: string }[] | undefined) => rows?.map(({ key }) => key)

/** The contract of the catalogue on any database. */
export const describeSharedCatalogue = (name: string, createDatabase: () => Promise<Database>) => {
  describe(`the shared catalogue in ${name}`, () => {
    test('of two commits after the same version one succeeds, and the other must check again', async () => {
      await using both = await withCatalogues(await createDatabase())
      const results = await Promise.all([
        both.one.commit({ after: 0, segment: segment('a'), receipts: [] }),
        both.other.commit({ after: 0, segment: segment('b'), receipts: [] }),
      ])
      expect(results.toSorted()).toEqual([false, true])
      const changes = await both.one.changes(0)
      expect(changes).toMatchObject({ version: 1, isWhole: false, removed: [], passed: [] })
      expect(changes?.added).toEqual([{ ...segment(results[0] ? 'a' : 'b'), version: 1, contentVersion: 1 }])
      expect(await both.other.changes(1)).toBeUndefined()
    })

    test('the first receipt of a message stays, and a failed commit leaves none', async () => {
      await using both = await withCatalogues(await createDatabase())
      const first = { message: 'm', entries: 3, duplicates: 0 }
      await both.one.commit({ after: 0, segment: segment('a'), receipts: [first] })
      await both.other.commit({ after: 0, segment: segment('b'), receipts: [{ ...first, message: 'late' }] })
      await both.other.commit({ after: 1, segment: segment('c'), receipts: [{ ...first, entries: 1, duplicates: 2 }] })
      expect(await both.other.receipts(['m', 'late'])).toEqual([first])
      both.pass(10)
      await both.one.deleteReceiptsBefore(1_000_005)
      expect(await both.other.receipts(['m'])).toEqual([])
    })

    test('a merge is atomic, and its changes list added and removed segments', async () => {
      await using both = await withCatalogues(await createDatabase())
      for (const [after, key] of ['a', 'b', 'c'].entries())
        await both.one.commit({ after, segment: segment(key), receipts: [] })
      expect(await both.one.merge({ segment: segment('ab'), contentVersion: 2, replaced: ['a', 'b'] })).toBe(true)
      expect(await both.other.merge({ segment: segment('bc'), contentVersion: 3, replaced: ['b', 'c'] })).toBe(false)
      expect(keys((await both.other.changes(undefined))?.added)).toEqual(['c', 'ab'])
      const changes = await both.other.changes(1)
      expect(changes).toMatchObject({ version: 4, isWhole: false, removed: ['a', 'b'] })
      expect(keys(changes?.added)).toEqual(['c', 'ab'])
      expect(keys(changes?.passed)).toEqual(['b'])
    })

    test('a replica that missed replaced segments that are deleted since gets the whole catalogue', async () => {
      await using both = await withCatalogues(await createDatabase())
      for (const [after, key] of ['a', 'b'].entries())
        await both.one.commit({ after, segment: segment(key), receipts: [] })
      await both.one.merge({ segment: segment('ab'), contentVersion: 2, replaced: ['a', 'b'] })
      both.pass(1_000)
      expect(await both.one.replacedBefore(1_000_000)).toEqual([])
      const old = await both.one.replacedBefore(1_000_500)
      expect(old).toEqual(['a', 'b'])
      await both.one.deleteReplaced(old)
      const changes = await both.other.changes(2)
      expect(changes).toMatchObject({ version: 3, isWhole: true })
      expect(keys(changes?.added)).toEqual(['ab'])
      expect(await both.other.changes(3)).toBeUndefined()
    })

    test('a condemned file cannot become a segment, and the file of a segment cannot be condemned', async () => {
      await using both = await withCatalogues(await createDatabase())
      expect(await both.one.condemn('a')).toBe(true)
      expect(await both.other.commit({ after: 0, segment: segment('a'), receipts: [] })).toBe(false)
      expect(await both.other.changes(0)).toBeUndefined()
      expect(await both.other.commit({ after: 0, segment: segment('b'), receipts: [] })).toBe(true)
      expect(await both.one.condemn('b')).toBe(false)
      both.pass(1_000)
      await both.one.deleteReplaced(await both.one.replacedBefore(1_000_500))
      expect(keys((await both.one.changes(0))?.added)).toEqual(['b'])
    })

    test('deletions and severities are versions that replicas receive; a deletion removes severities', async () => {
      await using both = await withCatalogues(await createDatabase())
      const { one, other } = both
      await one.commit({ after: 0, segment: segment('a'), receipts: [] })
      const override = (key: string, sourceId: string) => ({ key: key.repeat(32), sourceId, time: 1.5, severity: 2 })
      expect(await one.override(override('a', 'host:x:unit'), 1)).toBe(true)
      expect(await other.override(override('b', 'other'), 1)).toBe(true)
      expect((await other.changes(1))?.amendments).toEqual({
        tombstones: [],
        overrides: [
          { ...override('a', 'host:x:unit'), position: 2 },
          { ...override('b', 'other'), position: 3 },
        ],
      })
      expect(await one.deleteSource('host:x')).toBe(4)
      expect(await other.override(override('c', 'host:x:unit'), 3)).toBe(false)
      const known = {
        tombstones: [{ source: 'host:x', position: 4 }],
        overrides: [{ ...override('b', 'other'), position: 3 }],
      }
      expect((await other.changes(3))?.amendments).toEqual(known)
      const version = (await other.changes(3))?.version ?? 0
      await one.commit({ after: version, segment: segment('b'), receipts: [] })
      expect((await other.changes(version))?.amendments).toBeUndefined()
      const folded = known.overrides
      expect(await one.merge({ segment: undefined, contentVersion: 1, replaced: ['a'], folded })).toBe(true)
      expect(keys((await one.changes(undefined))?.added)).toEqual(['b'])
      both.pass(10)
      await one.deleteFoldedBefore(1_000_005)
      await one.expireTombstones(known.tombstones)
      expect((await one.changes(undefined))?.amendments).toEqual({ ...known, overrides: [] })
      both.pass(31 * 86_400_000)
      await one.expireTombstones(known.tombstones)
      expect((await one.changes(undefined))?.amendments).toEqual({ tombstones: [], overrides: [] })
    })

    test('a lease belongs to one replica until it ends', async () => {
      await using both = await withCatalogues(await createDatabase())
      expect(await both.one.leases.keep('merge', 'one', 100)).toBe(true)
      expect(await both.other.leases.keep('merge', 'other', 100)).toBe(false)
      expect(await both.one.leases.keep('merge', 'one', 100)).toBe(true)
      both.pass(101)
      expect(await both.other.leases.keep('merge', 'other', 100)).toBe(true)
      expect(await both.one.leases.keep('merge', 'one', 100)).toBe(false)
    })

    test('concurrent commits are serialized, and none is lost', async () => {
      await using both = await withCatalogues(await createDatabase())
      const commit = async (catalogue: typeof both.one, key: string) => {
        for (let after = 0; ; ) {
          if (await catalogue.commit({ after, segment: segment(key), receipts: [] })) return
          after = (await catalogue.changes(after))?.version ?? after
        }
      }
      const names = Array.from({ length: 20 }, (_, number) => `segment-${String(number).padStart(2, '0')}`)
      await Promise.all(names.map((key, number) => commit(number % 2 === 0 ? both.one : both.other, key)))
      const changes = await both.one.changes(0)
      expect(changes?.added.map(({ version }) => version)).toEqual(names.map((_, number) => number + 1))
      expect(keys(changes?.added)?.toSorted()).toEqual(names)
    })
  })
}
