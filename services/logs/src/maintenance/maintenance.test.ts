import { silentLog } from '@trellis/kit/telemetry'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSharedSearch } from '../branches/shared-search.ts'
import { openEngineIn, serveBranch } from '../branches/stores-for-tests.ts'
import { openServiceForTests } from '../service-for-tests.ts'

const open = async (dataDirectory: string) => {
  const service = await openServiceForTests({ dataDirectory })
  return {
    logs: service.client(LogsServiceDefinition),
    entries: service.client(EntriesServiceDefinition),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
type Opened = Awaited<ReturnType<typeof open>>

async function* body(entries: object[]) {
  yield { part: { $case: 'parameters' as const, value: {} } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(JSON.stringify({ source_id: 'app', entries })) } }
}
const push = ({ logs }: Opened, entries: object[]) => logs.gleanBatch(body(entries) as never)
const units = ['journald:attic:sshd', 'journald:attic:cron', 'journald:atticus:cron', 'app']
const recently = new Date().toISOString()
const entryOf = (sourceId: string) => ({
  text: `failed in ${sourceId}`,
  source_id: sourceId,
  sequence: 1,
  severity: 'ERROR',
  timestamp_iso: recently,
})
const total = async ({ logs }: Opened, q = '', more = {}) => (await logs.search({ q, order: '', ...more })).total
const sourcesIn = async ({ logs }: Opened) =>
  (await logs.listSources({})).sources.map(({ sourceId }) => sourceId).toSorted()

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeEach(async () => {
  folder = await temporaryDirectory()
})
afterEach(() => folder[Symbol.asyncDispose]())

test('DELETE /api/sources/{id} removes entries and full-text rows, and none of them return after a restart', async () => {
  {
    await using opened = await open(folder.path)
    await push(opened, units.map(entryOf))
    expect(await total(opened, 'failed')).toBe(4)
    await opened.entries.deleteSource({ sourceId: 'app' })
    expect([await total(opened, 'app'), await total(opened)]).toEqual([0, 3])
    expect(await sourcesIn(opened)).toEqual(['journald:attic', 'journald:atticus'])
  }
  await using again = await open(folder.path)
  expect([await total(again, 'app'), await total(again)]).toEqual([0, 3])
})

test('DELETE /api/sources/{id} of a group stem deletes all member units by prefix match', async () => {
  await using opened = await open(folder.path)
  await push(opened, units.map(entryOf))
  await opened.entries.deleteSource({ sourceId: 'journald:attic' })
  expect(await sourcesIn(opened)).toEqual(['app', 'journald:atticus'])
  expect((await opened.logs.getStats({})).errorCount).toBe(2)
  expect(await push(opened, units.map(entryOf))).toMatchObject({ accepted: 2, duplicates: 2 })
  expect(await total(opened, 'failed')).toBe(4)
})

test('DELETE /api/sources/{id} of a source without entries is 404', async () => {
  await using opened = await open(folder.path)
  await expect(opened.entries.deleteSource({ sourceId: 'app' })).rejects.toMatchObject({ kind: 'not_found' })
})

test('severity CRITICAL, ERROR, WARN, or null can be overridden: searches, facets, sources and stats go by it', async () => {
  await using opened = await open(folder.path)
  await push(opened, units.map(entryOf))
  const [first] = (await opened.logs.search({ q: 'app', order: '' })).entries
  const change = (severity: string | null | undefined) =>
    opened.entries.changeEntry({
      entryId: first?.entryId ?? '',
      severity: severity === undefined ? undefined : JSON.stringify(severity),
    } as never)
  expect(await change('CRITICAL')).toMatchObject({ entryId: first?.entryId, severity: 'CRITICAL' })
  expect(await total(opened, 'app', { severity: 'CRITICAL' })).toBe(1)
  expect(await opened.logs.getStats({})).toMatchObject({ criticalCount: 1, errorCount: 3 })
  expect((await opened.logs.getStats({})).recentCriticals).toMatchObject([{ entryId: first?.entryId }])
  expect(await change('WARN')).toMatchObject({ severity: 'WARN' })
  const { facets } = await opened.logs.search({ q: '', order: '' })
  expect(facets?.severity).toEqual([
    { value: 'ERROR', count: 3 },
    { value: 'WARN', count: 1 },
  ])
  expect(await change('error')).toMatchObject({ severity: 'ERROR' })
  expect((await change(null)).severity ?? null).toBeNull()
  const { sources } = await opened.logs.listSources({})
  expect(sources.find(({ sourceId }) => sourceId === 'app')).toMatchObject({ entryCount: 1, errorCount: 0 })
  for (const wrong of ['FATAL', '', undefined]) await expect(change(wrong)).rejects.toMatchObject({ kind: 'invalid' })
  await expect(opened.entries.changeEntry({ entryId: 'none', severity: 'null' })).rejects.toMatchObject({
    kind: 'not_found',
  })
})

test('deletions and severity changes include branches; a deletion names unreachable ones', async () => {
  await using own = await openEngineIn(folder.path)
  await using barn = await serveBranch('barn')
  await own.push(null, [{ text: 'own', source_id: 'host:a:one' }])
  await barn.push([
    { text: 'of the barn', source_id: 'host:a:two' },
    { text: 'stays', source_id: 'app' },
  ])
  const { engine } = createSharedSearch({
    own: own.engine,
    directory: { active: async () => [barn.active] },
    waitMilliseconds: 20_000,
    log: silentLog,
  })
  const all = { query: null, filters: {}, limit: 10, order: 'time', withFacets: true } as const
  const stays = (await engine.search(all)).entries.find(({ entry }) => entry.text === 'stays')?.entry.entryId ?? ''
  expect(await engine.setSeverity(stays, 'WARN')).toMatchObject({ severity: 'WARN', origin: { branch: 'barn' } })
  expect(await engine.setSeverity('none', 'WARN')).toBeUndefined()
  expect(await engine.deleteSource('host:a')).toBe(2)
  expect((await engine.search(all)).entries.map(({ entry }) => [entry.text, entry.severity])).toEqual([
    ['stays', 'WARN'],
  ])
  await barn.leave()
  await expect(engine.deleteSource('app')).rejects.toMatchObject({
    kind: 'unavailable',
    detail: expect.stringContaining('barn'),
  })
})

test('POST /api/tasks/vacuum answers 202 with a task that reports what was freed, one at a time', async () => {
  await using opened = await open(folder.path)
  await push(opened, units.map(entryOf))
  await opened.entries.deleteSource({ sourceId: 'app' })
  const [first, second] = await Promise.allSettled([opened.entries.vacuum({}), opened.entries.vacuum({})])
  expect(first).toMatchObject({ status: 'fulfilled', value: { kind: 'vacuum', status: 'running' } })
  expect(second).toMatchObject({ status: 'rejected', reason: { kind: 'conflict' } })
  const { taskId } = (first as PromiseFulfilledResult<{ taskId: string }>).value
  for await (const { event } of opened.logs.watchTask({ taskId })) {
    if (event?.$case !== 'done') continue
    expect(event.value).toMatchObject({ status: 'done', freed: { entries: expect.any(Number) } })
  }
  expect(await total(opened)).toBe(3)
  const { taskId: again } = await opened.entries.vacuum({})
  expect(again).not.toBe(taskId)
})
