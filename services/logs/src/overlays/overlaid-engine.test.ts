import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { expect, test } from 'vitest'
import { presentEntry } from '../entries/present.ts'
import { logsMigrations } from '../schemas.ts'
import { createOverlays, type OverlayTables } from './store.ts'

const openOverlays = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-overlays-'))
  const store = await openStore<OverlayTables>({ name: 'logs', dataDirectory: directory, migrations: logsMigrations })
  return {
    overlays: createOverlays(store.db),
    async [Symbol.asyncDispose]() {
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
const anomaly = { score: 0.9, label: 'burst', scoredAt: 1_000 }
const security = { score: 0.7, label: 'brute_force', scoredAt: 2_000 }

test('scorers do not overwrite one another, and the latest finding of each counts', async () => {
  await using opened = await openOverlays()
  const { overlays } = opened
  await overlays.put([{ entryId: 'a', sourceId: 'app', anomaly }])
  await overlays.put([{ entryId: 'a', sourceId: 'app', security }])
  await overlays.put([{ entryId: 'a', sourceId: 'app', anomaly: { ...anomaly, score: 0.5 } }])
  expect((await overlays.of(['a', 'b'])).get('a')).toEqual({ anomaly: { ...anomaly, score: 0.5 }, security })
  await overlays.put([{ entryId: 'a', sourceId: 'app', anomaly: null }])
  expect((await overlays.of(['a'])).get('a')).toEqual({ anomaly: null, security })
})

test('in one batch the last finding of each scorer counts, and the entry gets the latest time', async () => {
  await using opened = await openOverlays()
  const { overlays } = opened
  await overlays.put([
    { entryId: 'a', sourceId: 'app', anomaly },
    { entryId: 'b', sourceId: 'app', security },
    { entryId: 'a', sourceId: 'app', security },
    { entryId: 'a', sourceId: 'app', anomaly: { ...anomaly, score: 0.6 } },
    { entryId: 'b', sourceId: 'app', anomaly, security: null },
  ])
  const known = await overlays.of(['a', 'b'])
  expect(known.get('a')).toEqual({ anomaly: { ...anomaly, score: 0.6 }, security })
  expect(known.get('b')?.anomaly).toEqual(anomaly)
  await overlays.dropBefore(security.scoredAt)
  expect([...(await overlays.of(['a', 'b'])).keys()]).toContain('a')
})

test('only the overlays of a deleted source and those before a cutoff are deleted', async () => {
  await using opened = await openOverlays()
  const { overlays } = opened
  await overlays.put(
    Array.from({ length: 1_200 }, (_, number) => ({
      entryId: `e${number}`,
      sourceId: number % 2 === 0 ? 'even' : 'odd',
      anomaly: { ...anomaly, scoredAt: number },
    })),
  )
  await overlays.dropSources(['even'])
  await overlays.dropBefore(1_001)
  const ids = Array.from({ length: 1_200 }, (_, number) => `e${number}`)
  expect((await overlays.of(ids)).size).toBe(100)
})

test('an entry shows its scores: anomaly_score, anomaly_label, anomaly_scored_at and ml_score, ml_label, ml_scored_at', () => {
  const entry = presentEntry({
    entryId: 'a',
    origin: { sourceId: 'app', branch: null, tenantId: null, format: 'plain' },
    sequence: 1,
    time: null,
    ingestTime: 0,
    effectiveTime: 0,
    severity: null,
    repeatCount: 1,
    text: 'x',
    truncated: false,
    outOfOrder: false,
    matchedPatterns: [],
    templateId: '3f0c21b7a9e41d52',
    sender: null,
    overlay: { anomaly, security },
  })
  expect(entry).toMatchObject({
    anomalyScore: 0.9,
    anomalyLabel: 'burst',
    anomalyScoredAt: '1970-01-01T00:00:01.000Z',
    mlScore: 0.7,
    mlLabel: 'brute_force',
    mlScoredAt: '1970-01-01T00:00:02.000Z',
  })
})
