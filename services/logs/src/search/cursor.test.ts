import { expect, test } from 'vitest'
import { batchOf, createShardFolder } from '../segments/store-for-tests.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { parseQuery } from './query.ts'
import { type SearchRequest, search } from './search.ts'

/** A cursor after a round trip through a client. */
const sentBack = (place: Parameters<typeof encodeCursor>[0]) => {
  const decoded = decodeCursor(encodeCursor(place))
  if (!decoded) throw new Error('A cursor of ours must be read.')
  return decoded
}

test.each(['rarer', 'more frequent'])(
  'pages by relevance show each entry once while the words become %s',
  async (how) => {
    await using folder = await createShardFolder()
    await using opened = await folder.open({ documents: 1_000 })
    const { shard } = opened
    const entries = Array.from({ length: 24 }, (_, index) => ({
      text: `pump ${index % 3 === 0 ? 'valve' : 'pump'} ${'x '.repeat(index)}`,
      sequence: index + 1,
    }))
    await shard.ingest(batchOf(entries))
    let sequence = 1_000
    const addOthers = () =>
      shard.ingest(
        batchOf(
          Array.from({ length: 40 }, () => ({
            // The new entries rank last, so that they are not between the searched ones.
            text: how === 'rarer' ? 'y '.repeat(60) : `valve ${'pump '.repeat(1)}${'y '.repeat(900)}`,
            sequence: ++sequence,
          })),
        ),
      )
    const request: SearchRequest = {
      query: parseQuery('pump OR valve'),
      filters: { until: 1_800_000_000_000 },
      order: 'relevance',
      limit: 5,
      withFacets: false,
    }
    const shown: number[] = []
    for (let after: SearchRequest['after'] | null; after !== null; ) {
      const parts = shard.parts()
      const page = await search(parts, { ...request, ...(after && { after }) }, { domainOf: () => '' })
      for (const part of parts) part.release()
      shown.push(...page.entries.map(({ entry }) => entry.sequence))
      after = page.next && sentBack(page.next)
      await addOthers()
    }
    expect(shown.filter((number) => number <= entries.length).toSorted((a, b) => a - b)).toEqual(
      entries.map((entry) => entry.sequence),
    )
  },
)

const place = { score: 1.25, time: 5, sequence: 7, key: 9, shard: 'harbour' }
const statistics = { documents: 10, words: 70, frequencies: new Map([['pump*', 3]]) }

test('a cursor contains the position and the statistics of its first page', () => {
  expect(sentBack({ ...place, statistics })).toEqual({ ...place, statistics })
  expect(sentBack(place)).toEqual(place)
})

const encoded = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

test.each([
  ['text that is not JSON', 'x'],
  ['too few numbers', encoded(1, 2, 3)],
  ['a score that is not a number', encoded('1', 2, 3, 4)],
  ['a store that is not a name', encoded(1, 2, 3, 4, 5)],
  ['invalid statistics', encoded(1, 2, 3, 4, '', 'counts')],
  ['a negative count', encoded(1, 2, 3, 4, '', [10, 70, { pump: -1 }])],
  ['more entries with a word than entries', encoded(1, 2, 3, 4, '', [10, 70, { pump: 11 }])],
  ['a negative number of entries', encoded(1, 2, 3, 4, '', [-1, 70, {}])],
])('%s is not a cursor', (_what, cursor) => {
  expect(decodeCursor(cursor)).toBeUndefined()
})
