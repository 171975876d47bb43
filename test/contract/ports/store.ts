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

type Words = { words: { number: number; text: string | null; bytes: Uint8Array | null; share: number | null } }

/** What the databases have different words for. */
const wordMigrations: Migration[] = [
  {
    number: 1,
    name: 'words',
    up: async (db) => {
      await db.schema
        .createTable('words')
        .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('text', 'text')
        .addColumn('bytes', 'blob')
        .addColumn('share', 'real')
        .execute()
      await db.schema.createIndex('words_by_text').on('words').column('text').execute()
    },
  },
]

const openWords = async (open: OpenStore) => (await open(wordMigrations)) as unknown as Store<Words>

const textsInOrder = async ({ db }: Store<Words>) =>
  (await db.selectFrom('words').select('text').where('text', 'is not', null).orderBy('text').execute()).map(
    ({ text }) => text,
  )

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

    test('numbers rows by itself, and holds integers as large as a number can be exact about', async () => {
      await using at = await place()
      await using store = await openWords(at.open)
      const insert = (number?: number) =>
        store.db
          .insertInto('words')
          .values({ text: 'a', ...(number ? { number } : {}) } as never)
          .returning('number')
          .executeTakeFirstOrThrow()
      expect([await insert(), await insert()]).toEqual([{ number: 1 }, { number: 2 }])
      expect(await insert(Number.MAX_SAFE_INTEGER)).toEqual({ number: Number.MAX_SAFE_INTEGER })
      await sql`update words set number = ${2n ** 53n + 1n} where number = 1`.execute(store.db)
      await expect(store.db.selectFrom('words').selectAll().execute()).rejects.toThrow(RangeError)
    })

    test('orders text by code point, and tells upper case from lower', async () => {
      await using at = await place()
      await using store = await openWords(at.open)
      const texts = ['b', 'B', 'a', 'A', 'ä', 'z', '_', '-', '10', '9', 'a b', 'ab', '\u{1f3b5}', '\uffee']
      await store.db
        .insertInto('words')
        .values(texts.map((text) => ({ text })) as never)
        .execute()
      const byCodePoint = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(await textsInOrder(store)).toEqual(byCodePoint)
      const like = await store.db
        .selectFrom('words')
        .select('text')
        .where('text', 'like', 'a%')
        .orderBy('text')
        .execute()
      expect(like.map(({ text }) => text)).toEqual(['a', 'a b', 'ab'])
      const above = await store.db.selectFrom('words').select('text').where('text', '>', 'a').execute()
      expect(new Set(above.map(({ text }) => text))).toEqual(new Set(byCodePoint.slice(byCodePoint.indexOf('a') + 1)))
    })

    test('gives sums, counts, averages and comparisons as numbers, and bytes as bytes', async () => {
      await using at = await place()
      await using store = await openWords(at.open)
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      await store.db
        .insertInto('words')
        .values([
          { text: 'a', bytes, share: 0.1 },
          { text: null, bytes: null, share: 1e300 },
        ] as never)
        .execute()
      const row = await store.db.selectFrom('words').selectAll().orderBy('number').executeTakeFirstOrThrow()
      expect(row).toEqual({ number: 1, text: 'a', bytes, share: 0.1 })
      const { rows } = await sql`select sum(number) as sum, count(text) as count, avg(number) as avg, max(share) as max,
        min(number) = 1 as is_first, max(number) = 1 as is_last from words`.execute(store.db)
      expect(rows).toEqual([{ sum: 3, count: 1, avg: 1.5, max: 1e300, is_first: 1, is_last: 0 }])
    })

    test('nulls come where a query says', async () => {
      await using at = await place()
      await using store = await openWords(at.open)
      await store.db
        .insertInto('words')
        .values([{ text: 'b' }, { text: null }, { text: 'a' }] as never)
        .execute()
      const order = async (how: 'nullsFirst' | 'nullsLast') =>
        (
          await store.db
            .selectFrom('words')
            .select('text')
            .orderBy('text', (each) => each.asc()[how]())
            .execute()
        ).map(({ text }) => text)
      expect([await order('nullsFirst'), await order('nullsLast')]).toEqual([
        [null, 'a', 'b'],
        ['a', 'b', null],
      ])
    })

    test('a key that is there already is a fault, unless the query says what is to become of it', async () => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      const thing = { id: 'a', name: null, size: null, flag: 0, price: null }
      await store.db.insertInto('things').values(thing).execute()
      await expect(store.db.insertInto('things').values(thing).execute()).rejects.toThrow(/unique/i)
      const ignored = await store.db
        .insertInto('things')
        .values(thing)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .execute()
      expect(ignored).toEqual([])
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
      await expect(at.open(first ? [{ ...first, number: 2 }] : [])).rejects.toThrow('expected 1')
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

    test('text with U+0000 is bad input, on every database', async () => {
      await using at = await place()
      await using store = await at.open(thingMigrations)
      const thing = { id: 'a\0b', name: null, size: null, flag: 0, price: null }
      await expect(store.db.insertInto('things').values(thing).execute()).rejects.toMatchObject({ kind: 'invalid' })
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
