import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const day = 86_400_000

const entry = (time: number, source_id: string, text: string, severity: string) => ({
  source_id,
  text,
  timestamp_iso: new Date(time).toISOString(),
  severity,
})

/** Sign-ins of strangers, all the time. */
const everyDay = Array.from({ length: 200 }, (_, number) =>
  entry(
    start + number * (day / 100),
    'syslog',
    `sshd[${4_000 + number}]: Failed password for invalid user guest from 203.0.113.${number % 250} port ${40_000 + number} ssh2`,
    'ERROR',
  ),
)
const onTheSecond = [0, 1, 2].map((minute) =>
  entry(start + day + 43_200_000 + minute * 60_000, 'proxy', `cannot open the lane ${minute} of the gate`, 'ERROR'),
)

const service = await openServiceForTests({ now: () => start + 2 * day })
const client = service.client(LogsServiceDefinition)
beforeAll(async () => {
  const all = [...everyDay, ...onTheSecond]
  expect(await client.gleanBatch(batchOf(all))).toMatchObject({ accepted: all.length })
})
afterAll(() => service[Symbol.asyncDispose]())

const firstCauseOf = async (query: string, more: { since?: string; until?: string } = {}) => {
  const { suspectedCauses, entries } = await client.diagnose({ query, timezone: 'UTC', ...more })
  const texts = new Map(entries.map(({ entryId, text }) => [entryId, text]))
  return (suspectedCauses[0]?.evidence ?? []).map((id) => texts.get(id) ?? '').join('\n')
}
const second = { since: new Date(start + day).toISOString(), until: new Date(start + 2 * day - 1).toISOString() }
const both = { since: new Date(start).toISOString(), until: new Date(start + 2 * day - 1).toISOString() }

test('what fails as often before the window is less likely the cause than what did not', async () => {
  expect(await firstCauseOf('visitors complain', second)).toContain('the gate')
})

test('what fails evenly from the first entry to the last is less likely the cause, too', async () => {
  expect(await firstCauseOf('visitors complain', both)).toContain('the gate')
  expect(await firstCauseOf('visitors complain of errors')).toContain('the gate')
})

test('it does not determine when the trouble began', async () => {
  const { summary } = await client.diagnose({ query: 'visitors complain', timezone: 'UTC', ...both })
  expect(summary?.text).toContain('First to fail was proxy: "cannot open the lane 0 of the gate"')
})

test('it is the cause if the question has its words', async () => {
  expect(await firstCauseOf('who is the guest', second)).toContain('Failed password')
  expect(await firstCauseOf('who is the guest', both)).toContain('Failed password')
})

test('it is the cause if nothing else failed', async () => {
  const first = { since: new Date(start).toISOString(), until: new Date(start + day - 1).toISOString() }
  expect(await firstCauseOf('visitors complain', first)).toContain('Failed password')
})

test('a failure that began within the entries is the cause, however often it occurs', async () => {
  const sinceNoon = { ...second, until: new Date(start + day + 43_200_000 + 3_600_000).toISOString() }
  const flood = Array.from({ length: 60 }, (_, number) =>
    entry(start + day + 43_200_000 + number * 60_000, 'lock', `the lock of the pier is jammed (${number})`, 'ERROR'),
  )
  expect(await client.gleanBatch(batchOf(flood))).toMatchObject({ accepted: flood.length })
  expect(await firstCauseOf('visitors complain', sinceNoon)).toContain('the pier')
})
