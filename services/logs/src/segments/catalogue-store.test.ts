import { openStore } from '@trellis/kit/store'
import { databases, type RunningDatabase } from '@trellis/test/support/databases'
import type { Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteTasksBefore, findTask, saveTask, type TaskTables, unfinishedTasks } from '../ingest/task-store.ts'
import { logsMigrations } from '../schemas.ts'
import type { Catalogue, SegmentRow } from './catalogue.ts'
import { type CatalogueTables, createCatalogue } from './catalogue-store.ts'

const schema = { name: 'logs', migrations: logsMigrations }

const segment = (key: string, logPosition: number): SegmentRow => ({
  key,
  bytes: 5_000_000_000,
  documents: 3_000_000_000,
  textBytes: 2 ** 40,
  words: 123,
  firstTime: 1_790_000_000_000.125,
  lastTime: Number.POSITIVE_INFINITY,
  logPosition,
})

describe.each(databases)('on $name', ({ isMissing, start }) => {
  describe.skipIf(isMissing)('the rows of the log service', () => {
    let database: RunningDatabase
    let opened: AsyncDisposableStack
    let db: Kysely<CatalogueTables & TaskTables>
    let catalogue: Catalogue
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database[Symbol.asyncDispose]())
    beforeEach(async () => {
      opened = new AsyncDisposableStack()
      const { location } = opened.use(await database.place(schema))
      db = opened.use(await openStore<CatalogueTables & TaskTables>({ ...location, ...schema })).db
      catalogue = createCatalogue(db)
    })
    afterEach(() => opened.disposeAsync())

    test('segments are listed in the order of the log and of their keys', async () => {
      const rows = [segment('b', 2), segment('B', 2), segment('a', 2 ** 50), segment('c', 1)]
      await catalogue.change({ add: rows, remove: [] })
      expect(await catalogue.list()).toEqual([rows[3], rows[1], rows[0], rows[2]])
    })

    test('a replacement is atomic: if the new segments cannot be added, the old ones stay', async () => {
      await catalogue.change({ add: [segment('a', 1), segment('b', 2)], remove: [] })
      await expect(catalogue.change({ add: [segment('b', 2)], remove: ['a'] })).rejects.toThrow(/unique/i)
      expect((await catalogue.list()).map(({ key }) => key)).toEqual(['a', 'b'])
      await catalogue.change({ add: [segment('c', 2)], remove: ['a', 'b'] })
      expect((await catalogue.list()).map(({ key }) => key)).toEqual(['c'])
    })

    test('concurrent replacements of the same segments are atomic', async () => {
      const before = ['a', 'b', 'c'].map((key, index) => segment(key, index))
      await catalogue.change({ add: before, remove: [] })
      const settled = await Promise.allSettled(
        [1, 2, 3].map((number) =>
          catalogue.change({ add: [segment('merged', number)], remove: before.map(({ key }) => key) }),
        ),
      )
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect((await catalogue.list()).map(({ key }) => key)).toEqual(['merged'])
    })

    test('tasks are stored by state and deleted by age', async () => {
      const task = (task_id: string, status: string, started_at: string) => ({
        task_id,
        status,
        started_at,
        state: JSON.stringify({ text: 'Ä\u0000' }),
        owner: null,
      })
      await saveTask(db, task('a', 'running', '2026-06-01T00:00:00.000Z'))
      await saveTask(db, task('b', 'queued', '2026-06-02T00:00:00.000Z'))
      await saveTask(db, task('a', 'done', '2026-06-03T00:00:00.000Z'))
      expect(await findTask(db, 'a')).toMatchObject({ status: 'done', started_at: '2026-06-01T00:00:00.000Z' })
      expect((await unfinishedTasks(db)).map(({ task_id }) => task_id)).toEqual(['b'])
      await deleteTasksBefore(db, '2026-06-02T00:00:00.000Z')
      expect([await findTask(db, 'a'), (await findTask(db, 'b'))?.status]).toEqual([undefined, 'queued'])
    })
  })
})
