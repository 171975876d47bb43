import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { parseQuery } from '../search/query.ts'
import { search } from '../search/search.ts'
import { createBatchAnalyser } from './batch-analysis.ts'
import { noEnrichment } from './enricher.ts'
import { createMemoryIndex } from './memory-index.ts'
import type { Part } from './part.ts'
import { createSegmentCache } from './segment-cache.ts'
import { SegmentCorrupt } from './segment-layout.ts'
import { openSegment } from './segment-reader.ts'
import { batchOf } from './store-for-tests.ts'
import { writeSegment } from './write-segment.ts'

const open = (content: Uint8Array, key = 'segments/it') =>
  openSegment({
    files: { readRange: async (_, { start, end }) => content.subarray(start, end) },
    key,
    bytes: content.length,
    cache: createSegmentCache(1e8),
  })

/** Reads every section. */
const readAll = async (part: Part) => {
  await Promise.all([
    part.ranks(),
    part.severities(),
    part.cells(),
    part.templateOf(),
    part.ingestTimes(),
    part.keyLookup(),
    part.lookupPrefix(''),
  ])
  for (let document = 0; document < part.documents; document++) await part.entry(document)
}

test('any changed byte of a segment is detected, and the segment is reported', async () => {
  const index = createMemoryIndex({ documents: 20, textBytes: 4_096 })
  const batch = decodeBatch(
    batchOf(Array.from({ length: 12 }, (_, number) => ({ text: `line ${number} of few`, sequence: number }))),
  )
  const analysis = createBatchAnalyser(noEnrichment)(batch)
  index.add(
    batch,
    analysis,
    analysis.shapes.map(() => ''),
  )
  const steps = writeSegment(index)
  let step = steps.next()
  while (!step.done) step = steps.next()
  const content = step.value
  await readAll(await open(content))
  for (let offset = 0; offset < content.length; offset++) {
    const damaged = Uint8Array.from(content)
    damaged[offset] = (damaged[offset] ?? 0) ^ (1 << (offset % 8))
    const noticed = await open(damaged, 'segments/broken')
      .then(readAll)
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    expect({ offset, noticed }).toEqual({ offset, noticed: expect.any(SegmentCorrupt) })
    expect(String(noticed)).toContain('segments/broken')
  }
}, 120_000)

/** Written by the first version of the format, before templates and word counts of streams existed. */
test('a segment of the first version stays readable: entries, words, columns, ids', async () => {
  const part = await open(await readFile(new URL('./fixtures/version-1.segment', import.meta.url)))
  const find = async (q: string, filters = {}) => {
    const request = { query: parseQuery(q), filters, limit: 500, order: 'oldest', withFacets: true } as const
    return search([part], request, { domainOf: () => '' })
  }
  expect(part.documents).toBe(300)
  expect((await find('')).total).toBe(300)
  expect((await find('', { source: 'harbour:pier' })).total).toBe(100)
  expect((await find('', { tenant: 'port', severities: ['ERROR'] })).total).toBe(10)
  expect((await find('', { since: 1_600_000_100_000, until: 1_600_000_110_000 })).total).toBe(9)
  expect((await find('tul* -crane')).total).toBe(0)
  expect((await find('"tulip pots"')).total).toBe(292)
  const umlauts = await find('ölpumpe läuft 日本')
  expect(umlauts.entries.map(({ entry }) => entry.sequence)).toEqual([4, 44, 84, 124, 164, 204, 244, 284])
  expect(await part.entry(5)).toMatchObject({
    entryId: 'tulip-5',
    sender: { fields: { bed: 'north' } },
    time: 1_600_000_005_000,
    ingestTime: 1_600_000_500_000,
    text: 'crane 5 lifts tulip pots 35',
  })
  expect(await part.entry(50)).toMatchObject({ severity: 'ERROR', repeatCount: 4, origin: { sourceId: 'greenhouse' } })
  expect(await part.entry(57)).toMatchObject({ time: null, effectiveTime: 1_600_000_500_000 })
  expect((await part.entry(12)).outOfOrder).toBe(true)
  expect((await part.entry(0)).entryId).toBe('281ff87d4f433165bf7db1c2ef9a647d')
})
