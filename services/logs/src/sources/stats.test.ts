import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const now = Date.parse('2026-03-02T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()
let number = 0
const entry = (source_id: string, severity: string | null, hours: number) => {
  number += 1
  return { source_id, severity, timestamp_iso: hoursAgo(hours), text: `event ${number}`, sequence: number }
}

test('GET /api/stats: 24-hour window: critical count, error count, per-source health, recent criticals', async () => {
  await using service = await openServiceForTests({ now: () => now })
  const logs = service.client(LogsServiceDefinition)
  await logs.gleanBatch(
    batchOf([
      entry('journald:attic:kernel', 'CRITICAL', 1),
      entry('journald:attic:kernel', 'CRITICAL', 2),
      entry('journald:attic:sshd', 'ERROR', 3),
      entry('journald:attic:sshd', 'WARN', 3),
      entry('web', null, 4),
      entry('old', 'CRITICAL', 25),
      // The clock of this source is ahead.
      entry('ahead', 'CRITICAL', -1),
    ]),
  )
  const stats = await logs.getStats({})
  expect(stats).toMatchObject({ windowHours: 24, criticalCount: 2, errorCount: 1, warnCount: 1 })
  expect(stats.recentCriticals.map(({ text }) => text)).toEqual(['event 1', 'event 2'])
  expect(
    stats.sources.map(({ sourceId, status, entryCount, errorCount }) => [sourceId, status, entryCount, errorCount]),
  ).toEqual([
    ['ahead', 'silent', 0, 0],
    ['journald:attic', 'degraded', 4, 3],
    ['web', 'healthy', 1, 0],
    ['old', 'silent', 0, 0],
  ])
})

test('grouped sources have unit_count, entry count, error count and time range', async () => {
  await using service = await openServiceForTests({ now: () => now })
  const logs = service.client(LogsServiceDefinition)
  await logs.gleanBatch(
    batchOf([
      entry('journald:attic:kernel', 'CRITICAL', 1),
      entry('journald:attic:sshd', 'ERROR', 3),
      entry('journald:attic:sshd', null, 2),
      entry('journald:cellar', null, 5),
    ]),
  )
  const { sources } = await logs.listSources({})
  expect(sources).toEqual([
    {
      sourceId: 'journald:attic',
      entryCount: 3,
      errorCount: 2,
      firstSeen: hoursAgo(3),
      lastSeen: hoursAgo(1),
      unitCount: 2,
    },
    {
      sourceId: 'journald:cellar',
      entryCount: 1,
      errorCount: 0,
      firstSeen: hoursAgo(5),
      lastSeen: hoursAgo(5),
      unitCount: 1,
    },
  ])
})
