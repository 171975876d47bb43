import { serviceError } from '@trellis/kit/errors'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { createOverlaidEngine } from '../overlays/overlaid-engine.ts'
import { createOverlays, type OverlayTables } from '../overlays/store.ts'
import { logsMigrations } from '../schemas.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createDetections } from './detections.ts'
import { shownByStorable, type WholeFinding } from './finding.ts'
import { createObsoleteDetections } from './obsolete-detections.ts'
import { createScorer, type ScoreRange } from './scorer.ts'
import { entryForTests } from './security-for-tests.ts'
import type { ScoringTables } from './tables.ts'

const { signal } = new AbortController()

const entryOf = (sourceId: string, entryId: string): StoredEntry => ({
  ...entryForTests('zz', 1),
  entryId,
  origin: { sourceId, branch: null, tenantId: null, format: 'plain' },
})
const findingOf = (sourceId: string, entryIds: readonly [string, ...string[]]): WholeFinding => {
  const [first, ...others] = entryIds
  return {
    scorer: 'anomaly',
    label: 'burst',
    score: 0.9,
    severity: null,
    subject: sourceId,
    reason: 'Many.',
    entry: entryOf(sourceId, first),
    also: others.map((id) => entryOf(sourceId, id)),
    count: entryIds.length,
  }
}
const countOf = (sourceId: string): SourceCount => ({
  sourceId,
  entries: 1,
  bySeverity: [1, 0, 0, 0],
  firstTime: 1_000,
  lastTime: 1_000,
})

/** A scorer over existing sources. */
const open = async (sourceIds: string[], score: ScoreRange) => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const store = await openStore<ScoringTables & OverlayTables>({
    name: 'logs',
    dataDirectory: path,
    migrations: logsMigrations,
  })
  opened.defer(() => store.close())
  const warned: unknown[] = []
  const overlays = createOverlays(store.db)
  const detections = createDetections(store.db, () => 2_000)
  const sources = async ({ source }: { source?: string }) =>
    sourceIds.filter((id) => source === undefined || id === source).map(countOf)
  const engine = {
    sources,
    deleteSource: async (source: string) => {
      const at = sourceIds.indexOf(source)
      return at < 0 ? 0 : sourceIds.splice(at, 1).length
    },
  }
  const scorer = createScorer({
    name: 'anomaly',
    score,
    db: store.db,
    leases: { take: async () => ({ signal, [Symbol.asyncDispose]: async () => undefined }), isHeld: async () => false },
    engine,
    detections,
    overlays,
    now: () => 2_000,
    log: { ...silentLog, warn: (fields: unknown) => warned.push(fields) } as never,
  })
  const stack = opened.move()
  return {
    scorer,
    warned,
    problem: async () => (await scorer.lastOutcome())?.error ?? null,
    subjects: async () => (await detections.list({ limit: 10 })).map(({ subject }) => subject),
    deleteSource: createOverlaidEngine(engine as unknown as LogEngine, overlays, createObsoleteDetections(store.db))
      .deleteSource,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
const scoreAll: ScoreRange = async ({ sourceId }) => ({ findings: [findingOf(sourceId, ['e'])], entries: 1 })

test('a source whose id cannot be stored is skipped, logged once, named in the status, and can be deleted', async () => {
  await using opened = await open(['a\0b', 'sur\ud800', 'web'], scoreAll)
  expect(await opened.scorer.round(signal)).toBe(true)
  expect(await opened.scorer.round(signal)).toBe(true)
  expect(await opened.subjects()).toEqual(['web'])
  expect(opened.warned).toMatchObject([{ sourceId: 'a\0b' }, { sourceId: 'sur\ud800' }])
  expect(await opened.problem()).toContain('"a\\u0000b", "sur\\ud800"')

  expect([await opened.deleteSource('a\0b'), await opened.deleteSource('sur\ufffd')]).toEqual([1, 1])
  await opened.scorer.round(signal)
  expect(await opened.problem()).toBeNull()
})

test('the number of unscored entries excludes those that were scored without findings', async () => {
  const sourceIds = ['web', 'mail']
  await using opened = await open(sourceIds, async () => ({ findings: [], entries: 1 }))
  expect(await opened.scorer.unscored(signal)).toBe(2)
  await opened.scorer.round(signal)
  expect(await opened.scorer.unscored(signal)).toBe(0)
  sourceIds.push('new', 'a\0b')
  expect(await opened.scorer.unscored(signal)).toBe(2)
  await opened.scorer.round(signal)
  expect(await opened.scorer.unscored(signal)).toBe(1)
})

test('an entry whose id the database cannot store is skipped, and a finding remains with its other entries', async () => {
  await using opened = await open(['web'], async () => ({
    findings: [findingOf('web', ['a\0b', 'e']), { ...findingOf('web', ['c\0d']), subject: 'only that' }].map(
      shownByStorable,
    ),
    entries: 2,
  }))
  await opened.scorer.round(signal)
  expect(await opened.subjects()).toEqual(['web'])
  expect(opened.warned).toMatchObject([{ sourceId: 'web', entryId: 'a\0b' }])
  expect(await opened.problem()).toContain('"web"')
})

test('input of one source that the store rejects does not stop the scoring of others, and is not retried', async () => {
  let calls = 0
  await using opened = await open(['first', 'web'], async (range, left) => {
    if (range.sourceId === 'web') return scoreAll(range, left)
    calls++
    throw serviceError('invalid', 'Text may not hold the character U+0000.')
  })
  await opened.scorer.round(signal)
  await opened.scorer.round(signal)
  expect([calls, await opened.subjects()]).toEqual([1, ['web']])
  expect(await opened.problem()).toContain('"first"')
})

test('a failure is thrown so that the round is retried, and the status reports it until a round succeeds', async () => {
  let fails = true
  await using opened = await open(['web'], async (range, left) => {
    if (fails) throw new Error('The disk is full.')
    return scoreAll(range, left)
  })
  await expect(opened.scorer.round(signal)).rejects.toThrow('The disk is full.')
  expect(await opened.problem()).toContain('Scoring is retried')
  fails = false
  await opened.scorer.round(signal)
  expect([await opened.problem(), await opened.subjects()]).toEqual([null, ['web']])
})
