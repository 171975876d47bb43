import { describe, expect, test } from 'vitest'
import { batchOf, createShardFolder } from '../segments/store-for-tests.ts'
import { parseQuery } from './query.ts'
import { type SearchRequest, type SearchResult, search } from './search.ts'

test('an entry that contains a phrase has the same score as in a search for its words', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  const texts = [
    'panic in the kernel',
    'a kernel panic',
    'kernel, then panic',
    'kernel panic kernel panic on one',
    'calm',
  ]
  await opened.shard.ingest(batchOf(texts.map((text) => ({ text }))))
  const found = async (q: string) => {
    const request = { query: parseQuery(q), filters: {}, limit: 10, order: 'relevance', withFacets: false } as const
    const parts = opened.shard.parts()
    const { entries } = await search(parts, request, { domainOf: () => '' })
    for (const part of parts) part.release()
    return entries.map(({ entry, score }) => ({ text: entry.text, score }))
  }
  const phrase = await found('"kernel panic"')
  expect(phrase.map(({ text }) => text).toSorted()).toEqual(['a kernel panic', 'kernel panic kernel panic on one'])
  const byWords = await found('kernel panic')
  expect(byWords.filter(({ text }) => phrase.some((entry) => entry.text === text))).toEqual(phrase)
})

describe('a search with many candidates for a phrase', () => {
  /** One of four contains the phrase, two contain its words apart, and one contains only the first word. */
  const wordings = ['failed password for root', 'password failed for guest', 'failed: no password', 'failed to start']
  const texts = Array.from({ length: 800 }, (_, index) => ({
    text: `${wordings[(index * 7 + Math.floor(index / 9)) % 4]} at ${index}`,
    time: 1_700_000_000_000 + index * 1_000,
    sourceId: index % 3 === 0 ? 'gate' : 'door',
  }))
  const countOf = (isExpected: (text: string) => boolean) => texts.filter(({ text }) => isExpected(text)).length
  const hasPhrase = (text: string) => text.includes('failed password')
  const questions = [
    { q: 'fail* -"failed password"', expected: countOf((text) => !hasPhrase(text)) },
    { q: '-"failed password"', expected: countOf((text) => !hasPhrase(text)) },
    { q: '"failed password"', expected: countOf(hasPhrase) },
    { q: 'start OR "failed password"', expected: countOf((text) => hasPhrase(text) || text.includes('start')) },
  ]
  const sumOf = (counts: readonly number[] | undefined) => counts?.reduce((sum, count) => sum + count, 0)
  const countsOf = ({ total, totalIsExact, facets, histogram }: SearchResult) => ({
    total,
    totalIsExact,
    severities: sumOf(facets?.severity.map(({ count }) => count)),
    sources: sumOf(facets?.source.map(({ count }) => count)),
    times: sumOf(histogram?.counts),
  })

  /** Reads all pages with each limit, and returns the distinct counts of all pages and the number of entries shown for each limit. */
  const readAllPages = async (q: string, maxTextsForExactTotal?: number) => {
    await using folder = await createShardFolder()
    await using opened = await folder.open({ documents: 240 })
    await opened.shard.ingest(batchOf(texts))
    await opened.shard.flush()
    await opened.shard.settled()
    const counts = new Set<string>()
    const shown: number[] = []
    for (const limit of [50, 300]) {
      const found = new Set<string>()
      for (let next: SearchResult['next'] | undefined; next !== null; ) {
        const request: SearchRequest = {
          query: parseQuery(q),
          filters: {},
          limit,
          order: 'relevance',
          withFacets: true,
          ...(next && { after: next }),
        }
        const parts = opened.shard.parts()
        const page = await search(parts, request, {
          domainOf: () => '',
          ...(maxTextsForExactTotal !== undefined && { maxTextsForExactTotal }),
        })
        for (const part of parts) part.release()
        counts.add(JSON.stringify(countsOf(page)))
        for (const { entry } of page.entries) found.add(entry.text)
        next = page.next
      }
      shown.push(found.size)
    }
    return { counts: [...counts].map((text): ReturnType<typeof countsOf> => JSON.parse(text)), shown }
  }

  test.each(questions)('$q counts exactly, whatever the limit and the page', async ({ q, expected }) => {
    expect(await readAllPages(q)).toEqual({
      counts: [{ total: expected, totalIsExact: true, severities: expected, sources: expected, times: expected }],
      shown: [expected, expected],
    })
  })

  test.each(questions)(
    '$q estimates the counts from a sample if there are too many texts, equally for every page, and shows all entries',
    async ({ q, expected }) => {
      const { counts, shown } = await readAllPages(q, 200)
      expect(shown).toEqual([expected, expected])
      expect(counts).toHaveLength(1)
      const [only] = counts
      const total = only?.total ?? 0
      expect(only).toEqual({ total, totalIsExact: false, severities: total, sources: total, times: total })
      expect(Math.abs(total - expected)).toBeLessThan(expected / 5)
    },
  )
})
