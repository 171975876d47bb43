import { randomBytes } from 'node:crypto'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createEnricher } from '../patterns/enricher.ts'
import type { Enricher } from './enricher.ts'
import { pageBytes } from './segment-layout.ts'
import { ShardClosed } from './shard/closable-serial-queue.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Foundations, openShardIn } from './store-for-tests.ts'

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${from + index} of many`, sequence: from + index + 1 }))

/** The numbers of all entries, ascending, with duplicates. */
const numbersIn = async (shard: Shard): Promise<number[]> => {
  const parts = shard.parts()
  try {
    const entries = await Promise.all(
      parts.flatMap((part) => Array.from({ length: part.documents }, (_, document) => part.entry(document))),
    )
    return entries.map(({ sequence }) => sequence).toSorted((a, b) => a - b)
  } finally {
    for (const part of parts) part.release()
  }
}

/** Fails at a text that has the word `poison`. */
const failing = (): Enricher => {
  const enricher = createEnricher()
  return {
    words: [...enricher.words, 'poison'],
    enrich: (text, found, severity) => {
      if (text.includes('poison')) throw new Error('This pattern cannot be matched.')
      return enricher.enrich(
        text,
        found.filter((word) => word < enricher.words.length),
        severity,
      )
    },
  }
}
const poison = [{ text: 'a line with poison in it', sequence: 90 }]

test('a batch that cannot be analysed is rejected and does not block the next start', async () => {
  await using folder = await createShardFolder()
  const withFailing = (foundations: Foundations) => ({ ...foundations, enricher: failing() })
  {
    await using opened = await folder.open({}, withFailing)
    await opened.shard.ingest(batchOf(lines(2)))
    await expect(opened.shard.ingest(batchOf(poison))).rejects.toThrow('cannot be matched')
    await opened.shard.ingest(batchOf(lines(2, 2)))
  }
  await using again = await folder.open({}, withFailing)
  expect(again.problems).toEqual([])
  expect(await numbersIn(again.shard)).toEqual([1, 2, 3, 4])
})

test('a log record that cannot be analysed is reported and skipped, and the others are stored', async () => {
  await using folder = await createShardFolder()
  {
    await using opened = await folder.open()
    await opened.shard.ingest(batchOf(lines(2)))
    await opened.shard.ingest(batchOf(poison))
    await opened.shard.ingest(batchOf(lines(2, 2)))
  }
  await using again = await folder.open({}, (foundations) => ({ ...foundations, enricher: failing() }))
  expect(again.problems).toEqual([expect.stringContaining('Record 2 of the append log')])
  expect(await numbersIn(again.shard)).toEqual([1, 2, 3, 4])
})

/** Template ids that throw when an index reads the one of a message with the word `poison`, after half of the batch is added. */
const throwingIds = async (shapes: readonly string[]): Promise<readonly string[]> => {
  const ids = shapes.map(() => '')
  const poisoned = shapes.findIndex((shape) => shape.includes('poison'))
  if (poisoned >= 0)
    Object.defineProperty(ids, poisoned, {
      get: () => {
        throw new RangeError('Offset is outside the bounds of the DataView.')
      },
    })
  return ids
}
const withThrowingIds = (foundations: Foundations) => ({ ...foundations, templates: { idsOf: throwingIds } })

test.each([
  ['alone in memory', 10],
  ['after a segment that the replay sealed', 60],
])('a record that cannot be added to an index is reported and left out by every start: %s', async (_, count) => {
  await using folder = await createShardFolder()
  {
    await using opened = await folder.open({ documents: 1_000 })
    await opened.shard.ingest(batchOf(lines(count)))
    await opened.shard.ingest(batchOf(lines(10, 100)))
    await opened.shard.ingest(batchOf([...lines(1, 800), ...poison]))
    await opened.shard.ingest(batchOf(lines(10, 200)))
    await opened.shard.ingest(batchOf([...lines(1, 900), ...poison.map((line) => ({ ...line, sequence: 91 }))]))
  }
  const expected = [...lines(count), ...lines(10, 100), ...lines(10, 200)].map(({ sequence }) => sequence)
  for (let start = 0; start < 3; start++) {
    await using again = await folder.open({}, withThrowingIds)
    expect(await numbersIn(again.shard)).toEqual(expected)
    expect(again.problems).toEqual([
      expect.stringContaining('Record 3 of the append log cannot be read and is set aside: Offset is outside'),
      expect.stringContaining('Record 5 of the append log'),
    ])
  }
  await using last = await folder.open({}, withThrowingIds)
  expect(await last.shard.ingest(batchOf(lines(5, 300)))).toEqual({ entries: 5, duplicates: 0 })
})

test('a lack of memory during replay fails the start and skips no record', async () => {
  await using folder = await createShardFolder()
  {
    await using opened = await folder.open()
    await opened.shard.ingest(batchOf(lines(2)))
  }
  const idsOf = async (): Promise<readonly string[]> =>
    Object.defineProperty(['', ''], 1, {
      get: () => {
        throw new RangeError('Array buffer allocation failed')
      },
    })
  await expect(folder.open({}, (foundations) => ({ ...foundations, templates: { idsOf } }))).rejects.toThrow(
    'allocation failed',
  )
  await using again = await folder.open()
  expect(await numbersIn(again.shard)).toEqual([1, 2])
})

test('an expired entry does not return with the replay of a batch that contained it again', async () => {
  await using folder = await createShardFolder()
  const batch = (arrived: number) =>
    batchOf(
      [
        { text: 'stays away', sequence: 1, sourceId: 'expired' },
        { text: 'sent again', sequence: 2, sourceId: 'deleted' },
      ],
      arrived,
    )
  {
    await using opened = await folder.open()
    await opened.shard.ingest(batch(1_000))
    expect(await opened.shard.deleteSource('deleted')).toBe(1)
    expect(await opened.shard.ingest(batch(2_000))).toEqual({ entries: 1, duplicates: 1 })
    expect((await opened.shard.rewrite({ kind: 'expire', before: 2_000 })).entries).toBe(1)
    expect(await numbersIn(opened.shard)).toEqual([2])
  }
  await using again = await folder.open()
  expect(await numbersIn(again.shard)).toEqual([2])
})

test('an entry that is sent again while it is written to a segment is a duplicate', async () => {
  await using folder = await createShardFolder()
  const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>()
  const { promise: isCommitted, resolve: committed } = Promise.withResolvers<void>()
  let isSealing = false
  let older: string | undefined
  const alter = ({ files, catalogue, ...others }: Foundations): Foundations => ({
    ...others,
    files: {
      ...files,
      write: async (...parameters) => {
        if (isSealing) await mayWrite
        return files.write(...parameters)
      },
      // The index becomes a segment while the older segment is read.
      readRange: async (...parameters) => {
        if (isSealing && parameters[0] === older) {
          letWrite()
          await isCommitted
          for (let turn = 0; turn < 10; turn++) await setImmediate()
        }
        return files.readRange(...parameters)
      },
    },
    catalogue: {
      ...catalogue,
      change: async (change) => {
        await catalogue.change(change)
        if (isSealing) committed()
      },
    },
  })
  await using opened = await folder.open({ documents: 20 }, alter)
  const { shard } = opened
  await shard.ingest(batchOf([...lines(1), ...lines(1, 999)]))
  await shard.flush()
  older = (await opened.catalogue.list())[0]?.key
  await shard.ingest(batchOf(lines(20, 1)))
  isSealing = true
  await shard.ingest(batchOf([{ text: 'elsewhere', sequence: 1, sourceId: 'other' }]))
  shard.dropCache()
  expect(await shard.ingest(batchOf(lines(10, 1)))).toEqual({ entries: 0, duplicates: 10 })
})

test('damage found by the duplicate check is reported, and entries are stored nevertheless', async () => {
  await using folder = await createShardFolder()
  // Several pages, of which the first is verified when a segment is opened.
  const long = lines(20).map(({ text, ...line }) => ({
    ...line,
    text: `${text} ${randomBytes(2_000).toString('hex')}`,
  }))
  {
    await using opened = await folder.open({ textBytes: 1024 * 1024 })
    await opened.shard.ingest(batchOf(long))
    await opened.shard.flush()
  }
  const [name = ''] = await readdir(join(folder.directory, 'files', 'segments'))
  const { size } = await stat(join(folder.directory, 'files', 'segments', name))
  let foundByIngest = 0
  for (let offset = 31; offset < size; offset += pageBytes) {
    const directory = join(folder.directory, `damaged-${offset}`)
    for (const part of ['files', 'log', 'logs.db'])
      await cp(join(folder.directory, part), join(directory, part), { recursive: true })
    const victim = join(directory, 'files', 'segments', name)
    const damaged = await readFile(victim)
    damaged[offset] = (damaged[offset] ?? 0) ^ 0x10
    await writeFile(victim, damaged)
    await using opened = await openShardIn(directory)
    const isFoundAtOpen = opened.shard.damaged.length > 0
    const result = await opened.shard.ingest(batchOf(long))
    const isFound = opened.shard.damaged.length > 0
    if (isFound && !isFoundAtOpen) foundByIngest++
    expect({ offset, ...result }).toEqual({ offset, entries: isFound ? 20 : 0, duplicates: isFound ? 0 : 20 })
    expect(opened.problems).toHaveLength(isFound ? 1 : 0)
  }
  expect(foundByIngest).toBeGreaterThan(0)
})

test('a closed shard does nothing more, so that another one can take over its files', async () => {
  await using folder = await createShardFolder()
  const opened = await folder.open()
  await opened.shard.ingest(batchOf(lines(3)))
  await opened[Symbol.asyncDispose]()
  const { shard } = opened
  await expect(shard.ingest(batchOf(lines(3, 3)))).rejects.toThrow(ShardClosed)
  await expect(shard.flush()).rejects.toThrow(ShardClosed)
  await expect(shard.deleteSource('test')).rejects.toThrow(ShardClosed)
  const request = { retention: { days: null, bytes: null, sources: [] }, now: Date.now(), isThorough: true }
  await expect(shard.maintain(request)).rejects.toThrow(ShardClosed)
  await using again = await folder.open()
  expect(await again.catalogue.list()).toEqual([])
  expect(await numbersIn(again.shard)).toEqual([1, 2, 3])
})
