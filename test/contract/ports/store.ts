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

/** Column types with different names in each database. */
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

/** The contract of every store. `create` returns an empty database with a function to open it repeatedly. */
export const storeContract = (name: string, create: () => Promise<AsyncDisposable & { open: OpenStore }>): void => {
  describe(`the store ${name}`, () => {
    test('queries work with values of every kind', async () => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
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

    test('upserts, streams and raw SQL work', async () => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
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

    test('rows are numbered automatically, and unsafe integers throw a RangeError', async () => {
      await using database = await create()
      await using store = await openWords(database.open)
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

    test('text is ordered by code point and compared case-sensitively', async () => {
      await using database = await create()
      await using store = await openWords(database.open)
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

    test('aggregates and comparisons are returned as numbers, and bytes as bytes', async () => {
      await using database = await create()
      await using store = await openWords(database.open)
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

    test('nulls are sorted first or last as requested', async () => {
      await using database = await create()
      await using store = await openWords(database.open)
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

    test('inserting an existing key fails unless the query handles the conflict', async () => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
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

    test('a transaction is atomic', async () => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
      const failing = store.db.transaction().execute(async (transaction) => {
        await transaction.insertInto('things').values({ id: 'a', name: 'x', size: 1, flag: 0, price: 1 }).execute()
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await store.db.selectFrom('things').selectAll().execute()).toEqual([])
    })

    test('concurrent transactions are isolated from each other', async () => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
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

    test('rows persist across openings, and only missing migrations are applied', async () => {
      await using database = await create()
      {
        await using store = await database.open(thingMigrations.slice(0, 1))
        await store.db
          .insertInto('things')
          .values({ id: 'a', name: 'first', flag: 0 } as never)
          .execute()
      }
      await using store = await database.open(thingMigrations)
      expect(await store.db.selectFrom('things').selectAll().execute()).toEqual([
        { id: 'a', name: 'first', size: null, flag: 0, price: null },
      ])
    })

    test('data of a newer version and misnumbered migrations are refused', async () => {
      await using database = await create()
      await (await database.open(thingMigrations)).close()
      await expect(database.open(thingMigrations.slice(0, 1))).rejects.toThrow(/newer version/)
      const [first] = thingMigrations
      await expect(database.open(first ? [{ ...first, number: 2 }] : [])).rejects.toThrow('expected 1')
    })

    test('a failed migration changes nothing', async () => {
      await using database = await create()
      const broken: Migration = {
        number: 3,
        name: 'broken',
        up: async (db) => {
          await db.schema.alterTable('things').addColumn('extra', 'text').execute()
          throw new Error('broken')
        },
      }
      await expect(database.open([...thingMigrations, broken])).rejects.toThrow('broken')
      await using store = await database.open(thingMigrations)
      await store.db.insertInto('things').values({ id: 'a', name: null, size: null, flag: 0, price: null }).execute()
      expect(Object.keys(await store.db.selectFrom('things').selectAll().executeTakeFirstOrThrow())).not.toContain(
        'extra',
      )
    })

    test('text with U+0000 is invalid on every database', async () => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
      const thing = { id: 'a\0b', name: null, size: null, flag: 0, price: null }
      await expect(store.db.insertInto('things').values(thing).execute()).rejects.toMatchObject({ kind: 'invalid' })
    })

    test.each([[undefined], [{}], [[1]]])('the value %j is refused', async (value) => {
      await using database = await create()
      await using store = await database.open(thingMigrations)
      const inserting = store.db.insertInto('things').values({ id: 'a', name: value, flag: 0 } as never)
      await expect(value === undefined ? sql`select ${value}`.execute(store.db) : inserting.execute()).rejects.toThrow(
        'A parameter of a query',
      )
    })
  })
}
