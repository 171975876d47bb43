import { expect, test } from 'vitest'
import { batchOf, createShardFolder } from '../segments/store-for-tests.ts'
import { parseQuery } from './query.ts'
import { search } from './search.ts'

test('an entry that has a phrase keeps the score of its words when others that only have the words are left out', async () => {
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
