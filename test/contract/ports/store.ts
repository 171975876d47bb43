import { type Migration, type Store, sql, transact } from '@trellis/kit/store'
import { describe, expect, test } from 'vitest'
import { collect } from '../../support/collect.ts'

type Things = { things: { id: string; name: string | null; size: number | null; flag: number; price: number | null } }

export const thingMigrations: Migration[] = [
  {
    number: 1,
    name: 'things',
    up: async (db) => {
      await db.schema
        .createTable('things')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text')
        .addColumn('size', 'bigint')
        .addColumn('flag', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
    },
  },
  {
    number: 2,
    name: 'price',
    up: (db) => db.schema.alterTable('things').addColumn('price', 'double precision').execute(),
  },
]

export type OpenStore = (migrations: readonly Migration[]) => Promise<Store<Things>>

/** What every store does. `place` gives a fresh place and a way to open it, again and again. */
export const storeContract = (name: string, place: () => Promise<AsyncDisposable & { open: OpenStore }>): void => {
  describe(`the store ${name}`, () => {
    test('runs queries with every kind of value', async () => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      const thing = { id: 'a', name: 'Ä\u0001 \u{1f3b5}', size: 1_790_000_000_123, flag: 1, price: 0.1 }
      await store.db
        .insertInto('things')
        .values([thing, { id: 'b', name: null, size: null, flag: 0, price: null }])
        .execute()
      expect(await store.db.selectFrom('things').selectAll().orderBy('id').execute()).toEqual([
        thing,
        { id: 'b', name: null, size: null, flag: 0, price: null },
      ])
      const returned = await store.db
        .updateTable('things')
        .set({ name: 'c' })
        .where('id', '=', 'b')
        .returningAll()
        .executeTakeFirst()
      expect(returned?.name).toBe('c')
      expect((await store.db.deleteFrom('things').where('id', '=', 'nowhere').executeTakeFirst()).numDeletedRows).toBe(
        0n,
      )
      expect((await store.db.deleteFrom('things').executeTakeFirst()).numDeletedRows).toBe(2n)
    })

    test('upserts, streams and takes raw SQL', async () => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      for (const name of ['first', 'second']) {
        await store.db
          .insertInto('things')
          .values({ id: 'a', name, flag: 0 } as never)
          .onConflict((conflict) => conflict.column('id').doUpdateSet((eb) => ({ name: eb.ref('excluded.name') })))
          .execute()
      }
      expect((await collect(store.db.selectFrom('things').select('name').stream())).map(({ name }) => name)).toEqual([
        'second',
      ])
      expect((await sql<{ n: number }>`select count(*) as n from things`.execute(store.db)).rows[0]?.n).toBe(1)
    })

    test('a transaction is all or nothing', async () => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      const failing = store.db.transaction().execute(async (transaction) => {
        await transaction.insertInto('things').values({ id: 'a', name: 'x', size: 1, flag: 0, price: 1 }).execute()
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await store.db.selectFrom('things').selectAll().execute()).toEqual([])
    })

    test('transactions do not see into each other, whatever the order', async () => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      await store.db.insertInto('things').values({ id: 'sum', name: null, size: 0, flag: 0, price: null }).execute()
      const add = () =>
        transact(store.db, async (transaction) => {
          const { size } = await transaction
            .selectFrom('things')
            .select('size')
            .where('id', '=', 'sum')
            .executeTakeFirstOrThrow()
          await transaction
            .updateTable('things')
            .set({ size: (size ?? 0) + 1 })
            .where('id', '=', 'sum')
            .execute()
        })
      await Promise.all(Array.from({ length: 20 }, add))
      expect((await store.db.selectFrom('things').select('size').executeTakeFirstOrThrow()).size).toBe(20)
    })

    test('keeps its rows from one opening to the next, and applies only what is missing', async () => {
      await using at = await place()
      {
        await using store = await at.open(thingMigrations.slice(0, 1))
        await store.db
          .insertInto('things')
          .values({ id: 'a', name: 'kept', flag: 0 } as never)
          .execute()
      }
      await using store = await at.open(thingMigrations)
      expect(await store.db.selectFrom('things').selectAll().execute()).toEqual([
        { id: 'a', name: 'kept', size: null, flag: 0, price: null },
      ])
    })

    test('refuses data of a newer version with a sentence, and a migration out of number', async () => {
      await using at = await place()
      await (await at.open(thingMigrations)).close()
      await expect(at.open(thingMigrations.slice(0, 1))).rejects.toThrow(/newer version/)
      const [first] = thingMigrations
      await expect(at.open(first ? [{ ...first, number: 2 }] : [])).rejects.toThrow('1 is due')
    })

    test('a migration that fails leaves no trace of itself', async () => {
      await using at = await place()
      const broken: Migration = {
        number: 3,
        name: 'broken',
        up: async (db) => {
          await db.schema.alterTable('things').addColumn('extra', 'text').execute()
          throw new Error('broken')
        },
      }
      await expect(at.open([...thingMigrations, broken])).rejects.toThrow('broken')
      await using store = await at.open(thingMigrations)
      await store.db.insertInto('things').values({ id: 'a', name: null, size: null, flag: 0, price: null }).execute()
      expect(Object.keys(await store.db.selectFrom('things').selectAll().executeTakeFirstOrThrow())).not.toContain(
        'extra',
      )
    })

    test.each([[undefined], [{}], [[1]]])('refuses %j as a value rather than storing something else', async (value) => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      const inserting = store.db.insertInto('things').values({ id: 'a', name: value, flag: 0 } as never)
      await expect(value === undefined ? sql`select ${value}`.execute(store.db) : inserting.execute()).rejects.toThrow(
        'A parameter of a query',
      )
    })
  })
}
