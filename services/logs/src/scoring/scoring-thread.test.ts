import { expect, test } from 'vitest'
import type { LogEngine } from '../threads/log-engine.ts'
import { createScoringThread } from './scoring-thread.ts'
import { failed, findIn, many } from './security-for-tests.ts'

const lines = many(12, 1, () => failed('root', '203.0.113.9'))
const onFailure = (error: Error) => {
  throw error
}

test('the scoring thread finds what is found without it; of entries that only carry a score it tells which they are', async () => {
  // The same source, since ids of entries follow from it; what is pushed again is not stored again.
  const source = 'compared'
  const here = await findIn(lines, 0, undefined, source)
  await using opened = new AsyncDisposableStack()
  const inThread = (engine: LogEngine) => opened.use(createScoringThread({ engine, onFailure })).scoringOf('cybersec')
  const there = await findIn(lines, 0, inThread, source)
  expect(here.map(({ label }) => label)).toContain('brute_force')
  expect(there).toEqual(
    here.map(({ also, entry, ...finding }) => ({
      ...finding,
      entry: { ...entry, ingestTime: expect.any(Number) },
      also: also.map(({ entryId, origin, effectiveTime }) => ({ entryId, origin, effectiveTime })),
    })),
  )
})

test('an engine that makes no bytes is read all the same', async () => {
  await using opened = new AsyncDisposableStack()
  const found = await findIn(lines, 0, (engine) =>
    opened
      .use(createScoringThread({ engine: { ...engine, searchSerialized: undefined }, onFailure }))
      .scoringOf('cybersec'),
  )
  expect(found.map(({ label }) => label)).toContain('brute_force')
})

test('a run that nobody wants any more ends with why, and the next one works', async () => {
  const leaving = new AbortController()
  const search: LogEngine['search'] = async (_, signal) => {
    leaving.abort(new Error('It is not wanted.'))
    signal?.throwIfAborted()
    return { entries: [], total: 0, totalIsExact: true, facets: null, histogram: null, next: null }
  }
  await using thread = createScoringThread({ engine: { search, templates: async () => [] }, onFailure })
  const range = { sourceId: 'attic', since: 0, until: 1_000, firstTime: 0 }
  await expect(thread.scoringOf('cybersec')(range, leaving.signal)).rejects.toThrow('It is not wanted.')
  expect(await thread.scoringOf('cybersec')(range, new AbortController().signal)).toEqual({ findings: [], entries: 0 })
})
