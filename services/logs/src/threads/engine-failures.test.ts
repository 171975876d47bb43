import { openStore } from '@trellis/kit/store'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import type { Catalogue } from '../segments/catalogue.ts'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from '../segments/catalogue-store.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { createLogEngine } from './engine.ts'

const limits = { documents: 64, textBytes: 64 * 1024, cacheBytes: 1024 * 1024 }

/** An engine whose catalogue fails as often as the test sets; `reads` counts how often the engine was opened. */
const openFailing = async (directory: string) => {
  const store = await openStore<CatalogueTables>({
    name: 'logs',
    dataDirectory: directory,
    migrations: catalogueMigrations,
  })
  const catalogue = createCatalogue(store.db)
  const failures = { read: 0, change: 0 }
  let reads = 0
  const failing: Catalogue = {
    ...catalogue,
    read: async () => {
      if (failures.read-- > 0) throw new Error('The database is locked.')
      reads++
      return catalogue.read()
    },
    change: async (change) => {
      if (failures.change-- > 0) throw new Error('The database is locked.')
      await catalogue.change(change)
    },
  }
  const problems: string[] = []
  const engine = createLogEngine({
    directory,
    catalogue: failing,
    limits,
    idleMilliseconds: 0,
    onProblem: (problem) => problems.push(problem),
  })
  return {
    engine,
    failures,
    problems,
    reads: () => reads,
    total: async () =>
      (await engine.search({ query: null, filters: {}, limit: 1, order: 'time', withFacets: false })).total,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}
const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${from + index}`, sequence: from + index + 1 }))

test('an engine that could not be opened is opened by the next call', async () => {
  await using directory = await temporaryDirectory()
  await using opened = await openFailing(directory.path)
  opened.failures.read = 2
  await expect(opened.engine.ingest(batchOf(lines(2)))).rejects.toThrow('locked')
  await expect(opened.total()).rejects.toThrow('locked')
  expect(await opened.engine.ingest(batchOf(lines(2)))).toEqual({ entries: 2, duplicates: 0 })
  expect(await opened.total()).toBe(2)
})

test('a rejected batch leaves the store open; a failed write closes it without losing acknowledged entries', async () => {
  await using directory = await temporaryDirectory()
  await using opened = await openFailing(directory.path)
  const { engine, failures, reads } = opened
  await engine.ingest(batchOf(lines(3)))
  await expect(engine.ingest(new ArrayBuffer(64))).rejects.toThrow('not a batch')
  expect(await opened.total()).toBe(3)
  expect(reads()).toBe(1)
  failures.change = 1
  await expect(engine.deleteSource('test')).rejects.toThrow('locked')
  const more = await Promise.all([1, 2, 3].map((part) => engine.ingest(batchOf(lines(3, part * 3)))))
  expect(more).toEqual([1, 2, 3].map(() => ({ entries: 3, duplicates: 0 })))
  expect(await opened.total()).toBe(12)
  expect(reads()).toBe(2)
  expect(await engine.deleteSource('test')).toBe(12)
  expect(opened.problems).toEqual([])
})

test('a change whose caller has disconnected is not started', async () => {
  await using directory = await temporaryDirectory()
  await using opened = await openFailing(directory.path)
  const { engine } = opened
  await engine.ingest(batchOf([{ text: 'a line', entryId: 'one' }]))
  const left = AbortSignal.abort(new Error('The client has left.'))
  await expect(engine.deleteSource('test', left)).rejects.toThrow('has left')
  await expect(engine.setSeverity('one', 'CRITICAL', left)).rejects.toThrow('has left')
  expect((await engine.find('one'))?.severity).toBeNull()
})

test('a disposed engine starts no thread for a late call', async () => {
  await using directory = await temporaryDirectory()
  await using opened = await openFailing(directory.path)
  const { engine, reads } = opened
  await engine.ingest(batchOf(lines(2)))
  await engine[Symbol.asyncDispose]()
  await expect(opened.total()).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(engine.ingest(batchOf(lines(2, 2)))).rejects.toMatchObject({ kind: 'unavailable' })
  expect(reads()).toBe(1)
})
