import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { incidents, type Line, noise } from './incidents-for-tests.ts'

/** New failures shortly before that are unrelated. */
const coincidence: readonly Line[] = [
  { at: -90, source: 'docker:media:backup', text: 'backup of photos failed: checksum mismatch', severity: 'ERROR' },
  { at: -8, source: 'journald:mail:spamd', text: 'child processing timed out', severity: 'ERROR' },
]

const dayOf = (index: number) => Date.parse('2026-03-01T15:00:00Z') + index * 2 * 86_400_000
const service = await openServiceForTests({ now: () => dayOf(incidents.length) })
const client = service.client(LogsServiceDefinition)

afterAll(() => service[Symbol.asyncDispose]())

beforeAll(async () => {
  for (const [index, { lines }] of incidents.entries())
    for (const part of [noise, lines, coincidence]) {
      const entries = part.map(({ at, source, text, severity }) => ({
        source_id: source,
        text,
        timestamp_iso: new Date(dayOf(index) + at * 1000).toISOString(),
        severity: severity ?? null,
      }))
      expect(await client.gleanBatch(batchOf(entries))).toMatchObject({ accepted: entries.length })
    }
})

describe('the cause of a failure that a proxy reports is found in another source', () => {
  test.each(incidents.map((incident, index) => ({ ...incident, index })))('$name', async ({ query, cause, index }) => {
    const since = new Date(dayOf(index) - 86_400_000).toISOString()
    const until = new Date(dayOf(index) + 3_600_000).toISOString()
    const { suspectedCauses, entries, summary } = await client.diagnose({ query, since, until })
    const byId = new Map(entries.map((entry) => [entry.entryId, entry.text]))
    const ranks = suspectedCauses.map(({ evidence }) => evidence.some((id) => cause.test(byId.get(id) ?? '')))
    expect(ranks.indexOf(true), `${summary?.text}\n${JSON.stringify(suspectedCauses, null, 1)}`).toBe(0)
    expect(summary?.text).toContain('the failure may follow from it')
  })

  test('failures all day, or by chance just before, are not among the causes', async () => {
    const { suspectedCauses, entries } = await client.diagnose({
      query: 'why do we get bad gateway from nginx',
      since: new Date(dayOf(0) - 86_400_000).toISOString(),
      until: new Date(dayOf(0) + 3_600_000).toISOString(),
    })
    const noisy = new Set([...noise, ...coincidence].map(({ source }) => source))
    const cited = new Set(suspectedCauses.slice(0, 2).flatMap(({ evidence }) => evidence))
    const sources = entries.filter(({ entryId }) => cited.has(entryId)).map(({ sourceId }) => sourceId)
    expect(sources.filter((source) => noisy.has(source))).toEqual([])
  })
})
