import { openStore } from '@trellis/kit/store'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { ScoringServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/scoring.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { waitFor } from '@trellis/test/support/wait-for'
import { describe, expect, test } from 'vitest'
import { logsMigrations } from '../schemas.ts'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { insertDetection, listDetections } from './detection-store.ts'
import { createObsoleteDetections } from './obsolete-detections.ts'
import type { DetectionRow, ScoringTables } from './tables.ts'

const row = (id: string, sourceId: string, time: number): DetectionRow => ({
  id,
  same_key: id,
  scorer: 'anomaly',
  label: 'burst',
  score: 0.9,
  severity: null,
  subject: '',
  reason: '',
  entry_id: id,
  source_id: sourceId,
  text: 'x',
  first_time: time,
  last_time: time,
  entry_count: 1,
  detected_at: time + 10,
  acknowledged: 0,
  acknowledged_at: null,
  notes: null,
})

const openRows = async (rows: readonly DetectionRow[]) => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const store = await openStore<ScoringTables>({ name: 'logs', dataDirectory: path, migrations: logsMigrations })
  opened.defer(() => store.close())
  for (const one of rows) await insertDetection(store.db, one)
  const stack = opened.move()
  return {
    outlived: createObsoleteDetections(store.db),
    ids: async () => (await listDetections(store.db, { limit: 10_000 })).map(({ id }) => id).toSorted(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('detections', () => {
  test('older than all entries of their source are deleted, as are those of sources without entries', async () => {
    await using opened = await openRows([row('a1', 'a', 100), row('a2', 'a', 200), row('gone', 'b', 300)])
    await opened.outlived.dropOutlived([{ sourceId: 'a', firstTime: 150 }])
    expect(await opened.ids()).toEqual(['a2'])
  })

  test('of before a time are deleted, except those that continued after it', async () => {
    await using opened = await openRows([
      row('old', 'a', 100),
      { ...row('long', 'a', 100), last_time: 900 },
      row('new', 'a', 800),
    ])
    await opened.outlived.dropBefore(500)
    expect(await opened.ids()).toEqual(['long', 'new'])
  })

  test('are deleted for more sources than one statement takes', async () => {
    const many = Array.from({ length: 700 }, (_, index) => row(`d${index}`, `s${index}`, 1))
    await using opened = await openRows([...many, row('retained', 'retained', 1)])
    await opened.outlived.dropSources(many.map(({ source_id }) => source_id))
    expect(await opened.ids()).toEqual(['retained'])
  })
})

test('DELETE /api/sources/{id} deletes the detections about its entries, and not those of other sources', async () => {
  await using service = await openServiceForTests()
  const logs = service.client(LogsServiceDefinition)
  const scoring = service.client(ScoringServiceDefinition)
  const attempts = ['door', 'gate'].flatMap((source_id) =>
    Array.from({ length: 6 }, (_, index) => ({
      source_id,
      text: `sshd[7]: Failed password for root from 192.0.2.7 port 37033 ssh2`,
      timestamp_iso: new Date(Date.parse('2026-03-01T10:00:00Z') + index * 2_000).toISOString(),
      sequence: index + 1,
    })),
  )
  await logs.gleanBatch(batchOf(attempts))
  const sourcesOf = async () =>
    (await scoring.listDetections({ scorer: '' })).detections.map(({ sourceId }) => sourceId).toSorted()
  await waitFor(async () => expect(await sourcesOf()).toEqual(['door', 'gate']), { timeout: 150_000, interval: 200 })
  await service.client(EntriesServiceDefinition).deleteSource({ sourceId: 'door' })
  expect(await sourcesOf()).toEqual(['gate'])
})
