import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Files, openDirectoryFiles } from '@trellis/kit/files'
import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { parseQuery } from '../search/query.ts'
import { search } from '../search/search.ts'
import { createBatchAnalyser } from '../segments/batch-analysis.ts'
import { noEnrichment } from '../segments/enricher.ts'
import { createMemoryIndex } from '../segments/memory-index.ts'
import { createSegmentCache } from '../segments/segment-cache.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { openSegment } from '../segments/segment-reader.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { buildSegment } from './build-segment.ts'
import { type LocalSegments, openLocalSegments } from './local-segments.ts'
import { createSegmentSource } from './segment-source.ts'

const count = 20_000
/** A segment of some megabytes in which each line has a distinct word and a few hundred have `pump`. */
const makeSegment = async () => {
  const index = createMemoryIndex({ documents: count, textBytes: 16 * 1024 * 1024 })
  const analyse = createBatchAnalyser(noEnrichment)
  const lines = Array.from({ length: count }, (_, number) => ({
    text: `n${number} ${number % 71 === 0 ? 'pump' : 'valve'} ${Array.from({ length: 12 }, (_, word) => ((number * 7919 + word * 104_729) % 1e7).toString(36)).join(' ')}`,
    sequence: number + 1,
  }))
  const batch = decodeBatch(batchOf(lines))
  const analysis = analyse(batch)
  index.add(
    batch,
    analysis,
    analysis.shapes.map(() => ''),
  )
  return buildSegment(index)
}

const openFar = async (readsRanges: boolean) => {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'trellis-far-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const { segment: row, content } = await makeSegment()
  const shared = await openDirectoryFiles(join(directory, 'files'))
  await shared.write(row.key, content)
  let far = 0
  let code: string | undefined
  const files: Files = {
    ...shared,
    readRange: async (key, range) => {
      if (code !== undefined) throw Object.assign(new Error(`${code}: read`), { code })
      const read = await shared.readRange(key, range)
      far += read.length
      return read
    },
  }
  const local = await openLocalSegments(join(directory, 'local'), 1e9)
  let copyCode: string | undefined
  const copies: LocalSegments = {
    ...local,
    readRange: async (...parameters) => {
      if (copyCode !== undefined) throw Object.assign(new Error(`${copyCode}: read`), { code: copyCode })
      return local.readRange(...parameters)
    },
  }
  const source = createSegmentSource({
    files,
    local: copies,
    readsRanges,
    onProblem: (problem) => expect.fail(problem),
  })
  const part = await openSegment({
    files: source.reads(row),
    key: row.key,
    bytes: row.bytes,
    cache: createSegmentCache(1e8),
  })
  const find = async (q: string, limit = 10) => {
    const request = { query: parseQuery(q), filters: {}, limit, order: 'relevance', withFacets: false } as const
    return (await search([part], request, { domainOf: () => '' })).entries.map(({ entry }) => entry.sequence)
  }
  const stack = opened.move()
  return {
    row,
    find,
    damage: async () =>
      shared.write(
        row.key,
        content.map((byte, at) => (at > 100_000 && at < 101_000 ? byte ^ 1 : byte)),
      ),
    refuse: (errorCode: string | undefined) => {
      code = errorCode
    },
    far: () => far,
    refuseCopy: (errorCode: string | undefined) => {
      copyCode = errorCode
    },
    isHere: () => local.has(row.key, row.bytes),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('a search reads and caches only the needed ranges of a remote segment, or all of it if it needs much', async () => {
  await using opened = await openFar(true)
  const { find, far, isHere, row } = opened
  expect(row.bytes).toBeGreaterThan(1024 * 1024)
  expect(await find('n4242')).toEqual([4_243])
  expect(await isHere()).toBe(false)
  const read = far()
  expect(read).toBeLessThan(row.bytes * 0.3)
  expect(await find('n4242')).toEqual([4_243])
  expect(far()).toBe(read)
  expect(await find('pump', 300)).toHaveLength(282)
  expect(await isHere()).toBe(true)
})

test('without range reads the first read fetches the whole segment', async () => {
  await using opened = await openFar(false)
  expect(await opened.find('n4242')).toEqual([4_243])
  expect(await opened.isHere()).toBe(true)
})

test('a damaged range is detected, and the segment is reported', async () => {
  await using opened = await openFar(true)
  await opened.damage()
  await expect(opened.find('pump', 300)).rejects.toThrow(SegmentCorrupt)
  await expect(opened.find('pump', 300)).rejects.toThrow(opened.row.key)
})

test('an unreadable file counts as damage of the segment, and a lack of file descriptors does not', async () => {
  await using opened = await openFar(true)
  opened.refuse('EIO')
  await expect(opened.find('pump')).rejects.toThrow(SegmentCorrupt)
  opened.refuse('EMFILE')
  await expect(opened.find('pump')).rejects.toMatchObject({ code: 'EMFILE' })
  opened.refuse(undefined)
  expect(await opened.find('pump')).toHaveLength(10)
})

test('an unreadable local copy counts as damage of the segment, like damaged bytes', async () => {
  await using opened = await openFar(false)
  expect(await opened.find('n4242')).toEqual([4_243])
  opened.refuseCopy('EIO')
  await expect(opened.find('pump', 300)).rejects.toThrow(SegmentCorrupt)
})
