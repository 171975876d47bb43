import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { openEngineIn } from '../branches/stores-for-tests.ts'
import { createOverlays, type OverlayTables } from '../overlays/store.ts'
import { logsMigrations } from '../schemas.ts'
import { createDetections } from './detections.ts'
import { createScorer } from './scorer.ts'
import type { ScoringTables } from './tables.ts'

const { signal } = new AbortController()
const begin = Date.parse('2026-03-01T10:00:00Z')

/** A scorer over a real engine that records the start of each scored range in seconds. */
const open = async () => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const { engine, push } = opened.use(await openEngineIn(path))
  const store = await openStore<ScoringTables & OverlayTables>({
    name: 'scores',
    dataDirectory: join(path, 'scores'),
    migrations: logsMigrations,
  })
  opened.defer(() => store.close())
  const scoredFrom: number[] = []
  const scorer = createScorer({
    name: 'anomaly',
    score: async ({ since }) => {
      scoredFrom.push((since - begin) / 1000)
      return { findings: [], entries: 0 }
    },
    db: store.db,
    leases: { take: async () => ({ signal, [Symbol.asyncDispose]: async () => undefined }), isHeld: async () => false },
    engine,
    detections: createDetections(store.db, () => 2_000),
    overlays: createOverlays(store.db),
    now: () => 2_000,
    log: silentLog,
  })
  let sequence = 0
  const stack = opened.move()
  return {
    pushAt: (seconds: readonly number[]) =>
      push(
        null,
        seconds.map((second) => ({
          text: `stored document ${second}`,
          source_id: 'app',
          sequence: sequence++,
          timestamp_iso: new Date(begin + second * 1000).toISOString(),
        })),
      ),
    flush: () => engine.flush(),
    /** The starts of the ranges that a round scores, in seconds. */
    round: async (): Promise<number[]> => {
      scoredFrom.length = 0
      await scorer.round(signal)
      return [...scoredFrom]
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
const hour = 3_600

test.each([
  ['in memory', false],
  ['in a segment', true],
])(
  'the last two seconds of a source that grows in order are scored again if its entries are %s',
  async (_, isFlushed) => {
    await using app = await open()
    await app.pushAt(Array.from({ length: hour }, (_, second) => second))
    if (isFlushed) await app.flush()
    expect(await app.round()).toEqual([0])
    expect(await app.round()).toEqual([])
    await app.pushAt([hour, hour + 1])
    expect(await app.round()).toEqual([hour - 3])
    await app.pushAt([hour + 2])
    expect(await app.round()).toEqual([hour - 1])
  },
)

test('late entries extend the range: by ten seconds, by ten minutes, or to the whole source', async () => {
  await using app = await open()
  await app.pushAt(Array.from({ length: hour }, (_, second) => second))
  await app.round()
  await app.pushAt([hour, hour - 5])
  expect(await app.round()).toEqual([hour - 11])
  await app.pushAt([hour + 1, hour - 300])
  expect(await app.round()).toEqual([hour - 600])
  await app.pushAt([hour + 2, 1_000])
  expect(await app.round()).toEqual([0])
  expect(await app.round()).toEqual([])
})
