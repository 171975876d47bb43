import { openFiles } from '@trellis/kit/files'
import { openStore } from '@trellis/kit/store'
import { expect, test } from 'vitest'
import { createEnricher } from '../patterns/enricher.ts'
import { logsMigrations } from '../schemas.ts'
import type { AmendmentTables } from '../segments/amendment-store.ts'
import { createBatchAnalyser } from '../segments/batch-analysis.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { noTemplates } from '../templates/store.ts'
import { createTemplates } from '../templates/templates.ts'
import { createIndexer } from './indexer.ts'
import { createMirror } from './mirror.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { createKeyValue, smallLimits } from './replicas-for-tests.ts'
import { createSegmentSource, type SegmentSource } from './segment-source.ts'
import { createSharedCatalogue } from './shared-catalogue-store.ts'
import type { SharedCatalogueTables } from './shared-catalogue-tables.ts'

const fail = (problem: string) => {
  throw new Error(problem)
}

/** Indexers on one folder and one database, in this thread; tests pass `onWritten` to act when a segment has been written. */
const createIndexers = async () => {
  await using opened = new AsyncDisposableStack()
  const { shared } = opened.use(await createKeyValue())
  const store = opened.use(
    await openStore<SharedCatalogueTables & AmendmentTables>({
      ...shared.store,
      name: 'logs',
      migrations: logsMigrations,
    }),
  )
  const catalogue = createSharedCatalogue({ db: store.db, now: Date.now })
  const files = opened.use(await openFiles(shared.files))
  type OpenOptions = {
    onWritten?: (key: string) => Promise<unknown>
    failOn?: (text: string) => boolean
    /** As `failOn`, for the forms whose templates are looked up. */
    failOnForm?: (form: string) => boolean
  }
  const open = (openOptions: OpenOptions = {}) => {
    const { onWritten = async () => undefined, failOn = () => false, failOnForm = () => false } = openOptions
    const plain = createSegmentSource({ files, onProblem: fail })
    const source: SegmentSource = {
      ...plain,
      write: async (key, content) => {
        await plain.write(key, content)
        await onWritten(key)
      },
    }
    const mirror = createMirror({
      catalogue,
      source,
      cacheBytes: 1_000_000,
      onDamage: fail,
      onFresh: () => undefined,
      reportsFresh: () => false,
    })
    const analyser = createBatchAnalyser(createEnricher())
    const analyse: typeof analyser = (batch) => {
      if (failOn(Buffer.from(batch.text).toString())) throw new RangeError('Offset is outside the bounds.')
      return analyser(batch)
    }
    const found = createTemplates({ store: noTemplates, onProblem: fail })
    const templates: typeof found = {
      ...found,
      idsOf: async (forms) => {
        if (forms.some(failOnForm)) throw new RangeError('Offset is outside the bounds.')
        return found.idsOf(forms)
      },
    }
    return createIndexer({
      mirror,
      catalogue,
      source,
      analyse,
      templates,
      limits: smallLimits,
      onCommitted: () => undefined,
    })
  }
  const stack = opened.move()
  return {
    catalogue,
    open,
    /** The document counts of active segments, and the number of files. */
    stored: async () => {
      const rows = (await catalogue.changes(undefined))?.added ?? []
      const found = await Array.fromAsync(files.list('segments/'))
      return { documents: rows.map(({ documents }) => documents), files: found.length }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A message sent before the first commit. */
const sent = (id: string, sentAfter = 0) => ({ id, sentAfter })

test('entries sent before their source was deleted are dropped even if indexed later', async () => {
  await using indexers = await createIndexers()
  const indexer = indexers.open()
  await indexer.take(sent('first'), batchOf(numbered(10)))
  const deleted = await indexers.catalogue.deleteSource('test')
  expect(await indexer.take(sent('again'), batchOf(numbered(20)))).toMatchObject({ entries: 0 })
  expect(await indexer.take(sent('of before', deleted - 1), batchOf(numbered(20)))).toMatchObject({ entries: 0 })
  expect(await indexer.take(sent('of after', deleted), batchOf(numbered(20)))).toMatchObject({ entries: 20 })
})

test('entries that are deleted between writing and committing a segment are removed from it', async () => {
  await using indexers = await createIndexers()
  let isFirst = true
  const indexer = indexers.open({
    onWritten: async () => {
      if (isFirst) await indexers.catalogue.deleteSource('test')
      isFirst = false
    },
  })
  const other = { text: 'stays', sequence: 1, sourceId: 'other' }
  expect(await indexer.take(sent('mine'), batchOf([...numbered(10), other]))).toMatchObject({ entries: 1 })
  expect(await indexers.stored()).toEqual({ documents: [1], files: 1 })
})

test('entries that another replica commits between writing and committing a segment are removed from it', async () => {
  await using indexers = await createIndexers()
  const quick = indexers.open()
  let isFirst = true
  const slow = indexers.open({
    onWritten: async () => {
      if (isFirst) await quick.take(sent('theirs'), batchOf(numbered(30, 10)))
      isFirst = false
    },
  })
  expect(await slow.take(sent('mine'), batchOf(numbered(25)))).toEqual({ message: 'mine', entries: 10, duplicates: 15 })
  expect(await indexers.stored()).toEqual({ documents: [30, 10], files: 2 })
  expect(await indexers.catalogue.receipts(['mine', 'theirs'])).toEqual(
    expect.arrayContaining([
      { message: 'mine', entries: 10, duplicates: 15 },
      { message: 'theirs', entries: 30, duplicates: 0 },
    ]),
  )
})

test('a segment is dropped if another replica committed all its entries meanwhile', async () => {
  await using indexers = await createIndexers()
  const quick = indexers.open()
  const slow = indexers.open({ onWritten: () => quick.take(sent('same'), batchOf(numbered(25))) })
  expect(await slow.take(sent('same'), batchOf(numbered(25)))).toEqual({ message: 'same', entries: 0, duplicates: 25 })
  expect(await indexers.stored()).toEqual({ documents: [25], files: 1 })
  // The first committed receipt of a message counts.
  expect(await indexers.catalogue.receipts(['same'])).toEqual([{ message: 'same', entries: 25, duplicates: 0 }])
})

test('a segment whose file was condemned as an orphan is written again under another key', async () => {
  await using indexers = await createIndexers()
  let isFirst = true
  const indexer = indexers.open({
    onWritten: async (key) => {
      if (isFirst) expect(await indexers.catalogue.condemn(key)).toBe(true)
      isFirst = false
    },
  })
  expect(await indexer.take(sent('mine'), batchOf(numbered(25)))).toEqual({
    message: 'mine',
    entries: 25,
    duplicates: 0,
  })
  expect(await indexers.stored()).toEqual({ documents: [25], files: 1 })
})

test('batches that arrive while a segment is built share the next one', async () => {
  await using indexers = await createIndexers()
  const indexer = indexers.open()
  const receipts = await Promise.all(
    Array.from({ length: 30 }, (_, batch) => indexer.take(sent(`batch-${batch}`), batchOf(numbered(10, batch * 8)))),
  )
  expect(receipts.reduce((sum, { entries }) => sum + entries, 0)).toBe(29 * 8 + 10)
  expect(receipts.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(29 * 2)
  const { documents, files } = await indexers.stored()
  expect(documents.length).toBeLessThanOrEqual(3)
  expect(files).toBe(documents.length)
})

test('a batch larger than the segment limit gets a segment of its own', async () => {
  await using indexers = await createIndexers()
  const indexer = indexers.open()
  const [large, small] = await Promise.all([
    indexer.take(sent('large'), batchOf(numbered(smallLimits.documents + 100))),
    indexer.take(sent('small'), batchOf(numbered(5, 100_000))),
  ])
  expect([large.entries, small.entries]).toEqual([smallLimits.documents + 100, 5])
})

const one = (text: string, sequence: number) => batchOf([{ text, sequence, sourceId: 'test' }])

test.each(['failOn', 'failOnForm'] as const)(
  'a batch that cannot be indexed is rejected alone, and the others of its group are indexed: %s',
  async (how) => {
    await using indexers = await createIndexers()
    const indexer = indexers.open({ [how]: (text: string) => text.includes('poison') })
    const results = await Promise.allSettled([
      indexer.take(sent('first'), one('first', 1)),
      indexer.take(sent('second'), one('second', 2)),
      indexer.take(sent('bad'), one('poison', 3)),
      indexer.take(sent('third'), one('third', 4)),
      indexer.take(sent('worse'), one('more poison', 5)),
      indexer.take(sent('fourth'), one('fourth', 6)),
    ])
    const receipt = (message: string) => ({ status: 'fulfilled', value: { message, entries: 1, duplicates: 0 } })
    const refused = {
      status: 'rejected',
      reason: { name: 'BatchUnreadable', message: 'Offset is outside the bounds.' },
    }
    expect(results).toMatchObject([
      receipt('first'),
      receipt('second'),
      refused,
      receipt('third'),
      refused,
      receipt('fourth'),
    ])
    await indexer.settled()
    const { documents, files } = await indexers.stored()
    expect(documents.reduce((sum, count) => sum + count, 0)).toBe(4)
    expect(files).toBe(documents.length)
  },
)

test('a batch that fails only in a group is retried alone and indexed', async () => {
  await using indexers = await createIndexers()
  let failures = 0
  const indexer = indexers.open({ failOn: (text) => text === 'unlucky' && failures++ === 0 })
  const receipts = await Promise.all([
    indexer.take(sent('first'), one('first', 1)),
    indexer.take(sent('second'), one('second', 2)),
    indexer.take(sent('unlucky'), one('unlucky', 3)),
  ])
  expect(receipts.map(({ entries }) => entries)).toEqual([1, 1, 1])
  expect(failures).toBe(2)
})

test.each(['failOn', 'failOnForm'] as const)(
  'a lack of memory rejects no batch: the whole group fails and is retried: %s',
  async (how) => {
    await using indexers = await createIndexers()
    const indexer = indexers.open({
      [how]: (text: string) => {
        if (text === 'large') throw new RangeError('Array buffer allocation failed')
        return false
      },
    })
    await expect(indexer.take(sent('large'), one('large', 1))).rejects.toMatchObject({ name: 'RangeError' })
  },
)
