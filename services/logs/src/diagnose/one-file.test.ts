import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { incidents, noise } from './incidents-for-tests.ts'

const dayOf = (index: number) => Date.parse('2026-03-01T15:00:00Z') + index * 2 * 86_400_000
/** The line of a syslog daemon for a message of a source such as `journald:web:sshd`. */
const asMessage = (source: string, text: string): string => {
  const [kind = '', host = '', unit = ''] = source.split(':')
  return `${host} ${unit === 'error' ? kind : unit}[77]: ${text}`
}
const service = await openServiceForTests({ now: () => dayOf(incidents.length) })
const client = service.client(LogsServiceDefinition)

afterAll(() => service[Symbol.asyncDispose]())

beforeAll(async () => {
  for (const [index, { lines }] of incidents.entries()) {
    const entries = [...noise, ...lines].map(({ at, source, text, severity }) => ({
      source_id: `syslog-${index}`,
      text: asMessage(source, text),
      timestamp_iso: new Date(dayOf(index) + at * 1000).toISOString(),
      severity: severity ?? null,
    }))
    expect(await client.gleanBatch(batchOf(entries))).toMatchObject({ accepted: entries.length })
  }
})

/** In a file that names no hosts, a full disk and the failure of a program are related by their times only. */
const isRelatedByTime = ({ name }: { name: string }) => name === 'a disk that is full'

describe('in one file of all programs, too, the first cause is what failed or changed first', () => {
  const cases = incidents.map((incident, index) => ({ ...incident, index }))
  test.each(cases.filter((each) => !isRelatedByTime(each)))('$name', async ({ query, cause, index }) => {
    const { suspectedCauses, entries, summary } = await client.diagnose({ query, sourceFilter: `syslog-${index}` })
    const byId = new Map(entries.map((entry) => [entry.entryId, entry.text]))
    const ranks = suspectedCauses.map(({ evidence }) => evidence.some((id) => cause.test(byId.get(id) ?? '')))
    expect(ranks.indexOf(true), `${summary?.text}\n${JSON.stringify(suspectedCauses, null, 1)}`).toBe(0)
  })
})
