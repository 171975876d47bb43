import { expect, test } from 'vitest'
import type { LogEngine } from '../threads/log-engine.ts'
import { createScoringThread } from './scoring-thread.ts'
import { failed, findIn, many } from './security-for-tests.ts'

const lines = many(12, 1, () => failed('root', '203.0.113.9'))
const onFailure = (error: Error) => {
  throw error
}

test('the scoring thread returns the findings of direct scoring, but only the ids of further entries', async () => {
  // Both use the same source, because ids of entries depend on it; duplicates are not stored again.
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

test('an engine without serialized results is supported', async () => {
  await using opened = new AsyncDisposableStack()
  const found = await findIn(lines, 0, (engine) =>
    opened
      .use(createScoringThread({ engine: { ...engine, searchSerialized: undefined }, onFailure }))
      .scoringOf('cybersec'),
  )
  expect(found.map(({ label }) => label)).toContain('brute_force')
})

test('an aborted run rejects with the reason, and the next run works', async () => {
  const leaving = new AbortController()
  const search: LogEngine['search'] = async (_, signal) => {
    leaving.abort(new Error('The run was cancelled.'))
    signal?.throwIfAborted()
    return { entries: [], total: 0, totalIsExact: true, facets: null, histogram: null, next: null }
  }
  await using thread = createScoringThread({ engine: { search, templates: async () => [] }, onFailure })
  const range = { sourceId: 'attic', since: 0, until: 1_000, firstTime: 0 }
  await expect(thread.scoringOf('cybersec')(range, leaving.signal)).rejects.toThrow('The run was cancelled.')
  expect(await thread.scoringOf('cybersec')(range, new AbortController().signal)).toEqual({ findings: [], entries: 0 })
})
