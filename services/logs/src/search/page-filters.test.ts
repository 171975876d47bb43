import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const at = (minute: number, source: string, text: string) => ({
  source_id: source,
  text,
  timestamp_iso: new Date(Date.parse('2026-03-01T10:00:00Z') + minute * 60_000).toISOString(),
})
const entries = [
  at(0, 'web', 'ERROR out of memory: killed process 71'),
  at(1, 'web', 'ERROR out of memory: killed process 72'),
  at(1, 'db', 'WARN slow query took 900 ms'),
  at(3, 'cache, old', 'plain line about nothing'),
  at(3, 'db', 'FATAL cannot open the database file'),
]

const withEntries = async () => {
  const service = await openServiceForTests({ now: () => now })
  const logs = service.client(LogsServiceDefinition)
  const send = (some: Parameters<typeof batchOf>[0]) => logs.gleanBatch(batchOf(some))
  await send(entries)
  const search = (request: object = {}) => logs.search({ q: '', order: '', ...request })
  const texts = async (request: object) =>
    (await search(request)).entries.map(({ text }) => text.split(' ')[0]).toSorted()
  return { search, texts, send, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('the histogram has counts by severity that add up to its counts', async () => {
  await using served = await withEntries()
  for (const q of ['', 'of OR out OR slow OR plain OR database']) {
    const { histogram } = await served.search({ q })
    const bySeverity: Record<string, number[]> = JSON.parse(histogram?.bySeverity ?? '{}')
    const sums = Object.fromEntries(
      Object.entries(bySeverity).map(([severity, counts]) => [severity, counts.reduce((sum, count) => sum + count, 0)]),
    )
    expect(sums).toEqual({ CRITICAL: 1, ERROR: 2, WARN: 1, none: 1 })
    const added = histogram?.counts.map((_, bucket) =>
      Object.values(bySeverity).reduce((sum, counts) => sum + (counts[bucket] ?? 0), 0),
    )
    expect(added).toEqual(histogram?.counts)
  }
})

test('only the severities that occur are listed', async () => {
  await using served = await withEntries()
  const { histogram } = await served.search({ source: 'web' })
  expect(Object.keys(JSON.parse(histogram?.bySeverity ?? '{}'))).toEqual(['ERROR'])
})

test('sources are listed with commas and excluded, and an id with a comma is found', async () => {
  await using served = await withEntries()
  expect(await served.texts({ source: 'web,db' })).toEqual(['ERROR', 'ERROR', 'FATAL', 'WARN'])
  expect(await served.texts({ source: 'cache, old' })).toEqual(['plain'])
  expect(await served.texts({ notSource: 'web, db' })).toEqual(['plain'])
  expect(await served.texts({ notSource: 'cache, old' })).toEqual(['ERROR', 'ERROR', 'FATAL', 'WARN'])
})

test('templates are listed with commas and excluded', async () => {
  await using served = await withEntries()
  const all = (await served.search()).entries
  const templateOf = (word: string) => all.find(({ text }) => text.startsWith(word))?.templateId ?? ''
  expect(await served.texts({ template: `${templateOf('ERROR')},${templateOf('plain')}` })).toEqual([
    'ERROR',
    'ERROR',
    'plain',
  ])
  expect(await served.texts({ notTemplate: templateOf('ERROR') })).toEqual(['FATAL', 'WARN', 'plain'])
})

test('domains are excluded, and an unknown one is rejected', async () => {
  await using served = await withEntries()
  const domains = (await served.search()).facets?.domain.map(({ value }) => value ?? '') ?? []
  expect(domains.length).toBeGreaterThan(0)
  const left = await served.search({ notDomain: domains.join(',') })
  expect(left.facets?.domain).toEqual([])
  expect(left.entries.length).toBeLessThan(entries.length)
  await expect(served.search({ notDomain: 'weather' })).rejects.toThrow('"weather" is no domain')
})

test('the id of a configured source finds the entries of its units, on any host', async () => {
  await using served = await withEntries()
  const units = [
    'shop:nas:nginx',
    'shop:attic:cron',
    'shop/old.log',
    'shop',
    'shop:nas',
    'shopping:nas:nginx',
    'shop:nas:nginx:2',
  ]
  await served.send(units.map((source, i) => at(i, source, `INFO ${source} started`)))
  const sources = async (request: object) => (await served.search(request)).entries.map(({ sourceId }) => sourceId)
  expect((await sources({ source: 'shop' })).toSorted()).toEqual([
    'shop',
    'shop/old.log',
    'shop:attic:cron',
    'shop:nas:nginx',
    'shop:nas:nginx:2',
  ])
  // A unit is not the prefix of another one.
  expect(await sources({ source: 'shop:nas:nginx' })).toEqual(['shop:nas:nginx'])
  expect((await sources({ notSource: 'shop', q: 'started' })).toSorted()).toEqual(['shop:nas', 'shopping:nas:nginx'])
})
