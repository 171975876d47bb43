import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { parseQuery } from '../search/query.ts'
import { search } from '../search/search.ts'
import { createBatchAnalyser } from './batch-analysis.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder } from './store-for-tests.ts'

const texts = [
  'kernel: Out of memory: Killed process 77 (java)',
  'größe ÜBER alles, 日本語 too',
  'nothing nothing nothing',
  `${'word '.repeat(300)}${'x'.repeat(200)}`,
  '--- ... ---',
  'ERROR: connection refused by 10.0.0.7:5432',
]
const entries = Array.from({ length: 60 }, (_, index) => ({
  text: `${texts[index % texts.length] ?? ''} n${index % 7}`,
  sequence: index + 1,
  ...(index % 5 === 0 && { severity: index % 4 }),
}))
const queries = ['kernel', 'nothing OR größe', 'n3 -kernel', 'x*', 'word', 'refused n5', '']

const answers = async (shard: Shard) => {
  const parts = shard.parts()
  const request = { filters: {}, limit: 100, order: 'relevance', withFacets: true } as const
  try {
    return await Promise.all(
      queries.map((query) => search(parts, { ...request, query: parseQuery(query) }, { domainOf: (tag) => tag })),
    )
  } finally {
    for (const part of parts) part.release()
  }
}

test('search results do not depend on duplicates or on the thread that analysed a batch', async () => {
  const analyse = createBatchAnalyser(createEnricher())
  await using folder = await createShardFolder()
  await using other = await createShardFolder()
  await using opened = await folder.open()
  await using elsewhere = await other.open()
  const batches = [entries.slice(0, 20), entries.slice(10, 40), [...entries.slice(38), ...entries.slice(38)]]
  for (const lines of batches) {
    const batch = batchOf(lines)
    const analysis = analyse(decodeBatch(batch))
    expect(await elsewhere.shard.ingest(batchOf(lines), { analysis })).toEqual(await opened.shard.ingest(batch))
  }
  const inMemory = await answers(opened.shard)
  expect(inMemory[0]?.total).toBe(10)
  expect(await answers(elsewhere.shard)).toEqual(inMemory)
  await opened.shard.flush()
  await elsewhere.shard.flush()
  expect(await answers(opened.shard)).toEqual(inMemory)
  expect(await answers(elsewhere.shard)).toEqual(inMemory)
})

const segments = 40

test('an aborted search does not read further segments', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  await opened.shard.ingest(batchOf(entries.slice(0, 20)))
  await opened.shard.flush()
  const request = { query: null, filters: {}, limit: 5, order: 'time', withFacets: true } as const
  const countUntil = async (leaveAt: number) => {
    let checks = 0
    const signal = {
      throwIfAborted: () => {
        if (++checks >= leaveAt) throw new Error('left')
      },
    }
    const parts = opened.shard.parts()
    const found = search(Array(segments).fill(parts).flat(), request, { domainOf: () => '', signal })
    if (leaveAt === Number.POSITIVE_INFINITY) await found
    else await expect(found).rejects.toThrow('left')
    for (const part of parts) part.release()
    return checks
  }
  expect(await countUntil(Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(3 * segments)
  // Segments that are searched concurrently have all begun.
  expect(await countUntil(1)).toBeLessThanOrEqual(8)
})
