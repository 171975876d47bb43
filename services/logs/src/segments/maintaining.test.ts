import { expect, test } from 'vitest'
import { search } from '../search/search.ts'
import type { Blocks } from './blocks.ts'
import type { CatalogueChange } from './catalogue.ts'
import { unlimitedRetention } from './retention.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Foundations } from './store-for-tests.ts'

const day = 86_400_000
const start = 1_700_000_000_000

const severitiesIn = async (shard: Shard) => {
  const parts = shard.parts()
  try {
    const request = { query: null, filters: {}, limit: 1_000, order: 'oldest', withFacets: false } as const
    return (await search(parts, request, { domainOf: () => '' })).entries.map(({ entry }) => entry.severity)
  } finally {
    for (const part of parts) part.release()
  }
}

/** Blocks that count the bytes in use. */
const countedBlocks = () => {
  const out = new Set<ArrayBuffer>()
  const blocks: Blocks = {
    take: (bytes) => {
      const block = new ArrayBuffer(bytes)
      out.add(block)
      return block
    },
    free: (block) => void out.delete(block),
    clear: () => undefined,
  }
  return { blocks, bytesOut: () => [...out].reduce((sum, { byteLength }) => sum + byteLength, 0) }
}

test('maintenance releases the memory index that it reads', async () => {
  await using folder = await createShardFolder()
  const { blocks, bytesOut } = countedBlocks()
  await using opened = await folder.open({}, (foundations: Foundations) => ({ ...foundations, blocks }))
  const { shard } = opened
  const flushed = async (sequence: number) => {
    await shard.ingest(batchOf([{ text: 'a line', sequence }], start))
    await shard.flush()
    await shard.settled()
    return bytesOut()
  }
  const before = await flushed(1)
  await shard.ingest(batchOf([{ text: 'a line', sequence: 2 }], start))
  await shard.maintain({ retention: { ...unlimitedRetention, days: 30 }, now: start + 60_000, isThorough: false })
  expect(await flushed(3)).toBe(before)
})

test('a severity override expires with its entry', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  const { shard, catalogue } = opened
  const entry = { text: 'a line', sequence: 1, entryId: 'one' }
  await shard.ingest(batchOf([entry], start))
  await shard.flush()
  await shard.setSeverity('one', 'CRITICAL')
  expect(await severitiesIn(shard)).toEqual(['CRITICAL'])
  await shard.maintain({ retention: { ...unlimitedRetention, days: 1 }, now: start + 3 * day, isThorough: false })
  expect(await severitiesIn(shard)).toEqual([])
  expect((await catalogue.read()).amendments.overrides).toEqual([])
  await shard.ingest(batchOf([entry], start + 3 * day))
  expect(await severitiesIn(shard)).toEqual([null])
})

test('retention finds expired entries in segments that are merged meanwhile', async () => {
  await using folder = await createShardFolder()
  let whileReading: (() => Promise<void>) | undefined
  await using opened = await folder.open({}, (foundations) => ({
    ...foundations,
    catalogue: {
      ...foundations.catalogue,
      change: async (change) => {
        await foundations.catalogue.change(change)
        const now = whileReading
        whileReading = undefined
        await now?.()
      },
    },
  }))
  const { shard } = opened
  // Two sources per segment, so that none is dropped whole, and few enough segments that none are merged automatically.
  for (let segment = 0; segment < 3; segment++) {
    const line = (sourceId: string) => ({ text: 'a line', sequence: segment + 1, sourceId })
    await shard.ingest(batchOf([line('short')], start))
    await shard.ingest(batchOf([line('long')], start))
    await shard.flush()
  }
  await shard.settled()
  // While the first segment is rewritten, the others are merged with a new one.
  whileReading = async () => {
    void shard.ingest(batchOf([{ text: 'a line', sequence: 9, sourceId: 'long' }], start))
    void shard.flush()
  }
  const retention = { days: null, bytes: null, sources: [{ source: 'short', days: 1 }] }
  await shard.maintain({ retention, now: start + 3 * day, isThorough: false })
  const parts = shard.parts()
  const sources = parts.flatMap(({ streams }) => streams.filter(({ entries }) => entries > 0))
  for (const part of parts) part.release()
  expect(sources.map(({ origin }) => origin.sourceId)).not.toContain('short')
})

/** A shard whose catalogue calls `before` with each change before it makes it. */
const openHooked = async (before: (shard: Shard, change: CatalogueChange) => Promise<void>) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createShardFolder())
  let hooked: Shard | undefined
  const opened = stack.use(
    await folder.open({}, (foundations) => ({
      ...foundations,
      catalogue: {
        ...foundations.catalogue,
        change: async (change) => {
          const shard = hooked
          hooked = undefined
          if (shard) await before(shard, change)
          await foundations.catalogue.change(change)
        },
      },
    })),
  )
  const moved = stack.move()
  return {
    ...opened,
    arm: () => {
      hooked = opened.shard
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}
const expiry = { retention: { ...unlimitedRetention, days: 1 }, now: start + 3 * day, isThorough: false }
const one = { text: 'a line', sequence: 1, entryId: 'one' }
const young = { text: 'stays', sequence: 2, entryId: 'young' }

test.each([
  ['its segment', []],
  ['a part of its segment', [young]],
])('a severity for an entry that expires with %s before the write finds no entry', async (_, others) => {
  await using opened = await openHooked(async (shard) => void (await shard.maintain(expiry)))
  const { shard, catalogue } = opened
  await shard.ingest(batchOf([one], start))
  if (others.length > 0) await shard.ingest(batchOf(others, start + 3 * day))
  await shard.flush()
  opened.arm()
  expect(await shard.setSeverity('one', 'CRITICAL')).toBeUndefined()
  expect((await catalogue.read()).amendments.overrides).toEqual([])
  await shard.ingest(batchOf([one], start + 3 * day))
  expect(await severitiesIn(shard)).toEqual(others.length > 0 ? [null, null] : [null])
})

test.each([
  ['its segment', []],
  ['a part of its segment', [young]],
])('a severity that is set while its entry expires with %s is deleted with it', async (_, others) => {
  await using opened = await openHooked(async (shard) => {
    expect(await shard.setSeverity('one', 'CRITICAL')).toMatchObject({ severity: 'CRITICAL' })
    if (others.length > 0) await shard.setSeverity('young', 'WARN')
  })
  const { shard, catalogue } = opened
  await shard.ingest(batchOf([one], start))
  if (others.length > 0) await shard.ingest(batchOf(others, start + 3 * day))
  await shard.flush()
  opened.arm()
  await shard.maintain(expiry)
  expect((await catalogue.read()).amendments.overrides).toHaveLength(others.length)
  await shard.ingest(batchOf([one], start + 3 * day))
  expect(await severitiesIn(shard)).toEqual(others.length > 0 ? [null, 'WARN'] : [null])
})
