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

test('it is the cause if nothing was before the window, or if the question has its words', async () => {
  expect(await firstCauseOf('visitors complain', both)).toContain('Failed password')
  expect(await firstCauseOf('who is the guest', second)).toContain('Failed password')
})
