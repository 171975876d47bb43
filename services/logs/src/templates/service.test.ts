import { createMemoryBus } from '@trellis/kit/bus'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { TemplatesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/templates.ts'
import { describe, expect, test } from 'vitest'
import { createKeyValue } from '../replicated/replicas-for-tests.ts'
import { openServiceForTests } from '../service-for-tests.ts'
import type { LogsServiceOptions } from '../service-options.ts'

type Place = Pick<LogsServiceOptions, 'dataDirectory' | 'store' | 'filesLocation' | 'bus'>
const now = Date.parse('2026-03-02T12:00:00Z')
const hour = 3_600_000

const openAt = async (place: Place) => {
  const service = await openServiceForTests({ ...place, now: () => now })
  const { client } = service
  const logs = client(LogsServiceDefinition)
  return {
    logs,
    templates: client(TemplatesServiceDefinition),
    /** Pushes entries, each `hoursAgo` before now. */
    push: (entries: readonly { text: string; hoursAgo?: number; severity?: string }[], source = 'app') =>
      logs.gleanBatch(
        (async function* () {
          yield { part: { $case: 'parameters' as const, value: { sourceId: source } } }
          const lines = entries.map(({ text, hoursAgo = 1, severity }, sequence) =>
            JSON.stringify({ text, sequence, timestamp_iso: new Date(now - hoursAgo * hour).toISOString(), severity }),
          )
          yield { part: { $case: 'chunk' as const, value: Buffer.from(lines.join('\n')) } }
        })(),
      ),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const openAlone = async () => {
  const { shared: _, directory, ...dependencies } = await createKeyValue()
  const bus = createMemoryBus()
  const place: Place = { dataDirectory: directory, bus }
  return {
    open: () => openAt(place),
    [Symbol.asyncDispose]: async () => {
      await bus[Symbol.asyncDispose]()
      await dependencies[Symbol.asyncDispose]()
    },
  }
}
const list = { trend: '', order: '' }
const failed = (name: string, port: number) => ({
  text: `Failed password for ${name} from 192.0.2.7 port ${port} ssh2`,
})

describe('GET /api/templates', () => {
  test('returns a template for each kind of message, with its count, its times, its severity and its trend', async () => {
    await using alone = await openAlone()
    await using opened = await alone.open()
    await opened.push([
      { text: 'disk 3 is slow: 812 ms', hoursAgo: 20, severity: 'WARN' },
      { text: 'disk 7 is slow: 93 ms', hoursAgo: 10, severity: 'WARN' },
      { text: 'disk 7 is gone', hoursAgo: 1, severity: 'CRITICAL' },
    ])
    const { templates, total, nextCursor } = await opened.templates.listTemplates(list)
    expect([total, nextCursor ?? null]).toEqual([2, null])
    expect(templates).toMatchObject([
      {
        template: 'disk <*> is gone',
        count: 1,
        severity: 'CRITICAL',
        trend: { direction: 'new', bucketSeconds: 3_600 },
      },
      {
        template: 'disk <*> is slow: <*> ms',
        count: 2,
        severity: 'WARN',
        firstSeen: '2026-03-01T16:00:00.000Z',
        lastSeen: '2026-03-02T02:00:00.000Z',
        trend: { direction: 'steady' },
      },
    ])
    expect(templates[1]?.trend?.counts.reduce((sum, count) => sum + count, 0)).toBe(2)
  })

  test('takes source, since, until, severity, q and trend, and pages', async () => {
    await using alone = await openAlone()
    await using opened = await alone.open()
    await opened.push([
      { text: 'one thing was done', hoursAgo: 30 },
      { text: 'another thing was lost', hoursAgo: 3, severity: 'ERROR' },
    ])
    await opened.push([{ text: 'third matter arose', hoursAgo: 2 }], 'other')
    const names = async (more: object) =>
      (await opened.templates.listTemplates({ ...list, ...more })).templates.map(({ template }) => template)
    expect(await names({})).toEqual(['third matter arose', 'another thing was lost', 'one thing was done'])
    expect(await names({ source: 'other' })).toEqual(['third matter arose'])
    expect(await names({ since: '2026-03-02T09:30:00Z' })).toEqual(['third matter arose'])
    expect(await names({ until: '2026-03-01T12:00:00Z' })).toEqual(['one thing was done'])
    expect(await names({ severity: 'ERROR' })).toEqual(['another thing was lost'])
    expect(await names({ q: 'THING lost' })).toEqual(['another thing was lost'])
    expect(await names({ trend: 'new' })).toEqual(['third matter arose', 'another thing was lost'])
    const pages: string[] = []
    for (let cursor: string | null | undefined = ''; cursor !== null; ) {
      const page = await opened.templates.listTemplates({ ...list, limit: 1, cursor: cursor || undefined })
      pages.push(...page.templates.map(({ template }) => template))
      cursor = page.nextCursor ?? null
    }
    expect(pages).toEqual(await names({}))
    await expect(opened.templates.listTemplates({ ...list, cursor: 'none' })).rejects.toThrow('cursor must be')
    await expect(opened.templates.listTemplates({ ...list, severity: 'BAD' })).rejects.toThrow('no severity')
  })

  test('counts old logs in the day in which they end, without a time filter', async () => {
    await using alone = await openAlone()
    await using opened = await alone.open()
    await opened.push([
      { text: 'long ago 1', hoursAgo: 5_000 },
      { text: 'long ago 2', hoursAgo: 5_003 },
    ])
    const { templates } = await opened.templates.listTemplates(list)
    expect(templates[0]?.trend?.counts.reduce((sum, count) => sum + count, 0)).toBe(2)
  })
})

describe('template_id', () => {
  test('is on entries, survives a restart, and finds all entries of its template', async () => {
    await using alone = await openAlone()
    const idsOf = async (opened: Awaited<ReturnType<typeof alone.open>>) =>
      (await opened.logs.search({ order: 'time' })).entries.map(({ templateId }) => templateId)
    let before: (string | null | undefined)[] = []
    {
      await using opened = await alone.open()
      await opened.push([failed('root', 37033), failed('root', 37034), { text: 'check pass; user unknown' }])
      before = await idsOf(opened)
    }
    await using opened = await alone.open()
    expect(await idsOf(opened)).toEqual(before)
    await opened.push([failed('root', 37035)], 'elsewhere')
    const [unknown = '', root = ''] = before
    expect((await opened.logs.search({ order: '', template: root ?? '' })).total).toBe(3)
    expect((await opened.logs.search({ order: '', template: unknown ?? '' })).total).toBe(1)
    expect((await opened.logs.search({ order: '', template: 'none-such' })).total).toBe(0)
  })

  test('still resolves to its template after that became more general', async () => {
    await using alone = await openAlone()
    await using opened = await alone.open()
    await opened.push([failed('root', 1)])
    const [first] = (await opened.logs.search({ order: '' })).entries
    await opened.push(['kim', 'ada', 'eve'].map((name, port) => failed(name, port)))
    const detail = await opened.templates.getTemplate({ templateId: first?.templateId ?? '' })
    expect(detail).toMatchObject({
      template: { template: 'Failed password for <*> from <*> port <*>', count: 4 },
      sources: [{ value: 'app', count: 4 }],
    })
    expect(detail.template?.templateId).not.toBe(first?.templateId)
    expect(new Set(detail.examples.map(({ templateId }) => templateId))).toEqual(new Set([detail.template?.templateId]))
    expect((await opened.logs.search({ order: '', template: first?.templateId ?? '' })).total).toBe(4)
    await expect(opened.templates.getTemplate({ templateId: 'none-such' })).rejects.toThrow('There is no template')
  })

  test('is the same on all replicas, which only find a template from their entries together', async () => {
    const { shared, directory, ...dependencies } = await createKeyValue()
    await using _ = dependencies
    await using bus = createMemoryBus()
    const place: Place = { dataDirectory: directory, store: shared.store, filesLocation: shared.files, bus }
    await using one = await openAt(place)
    await using other = await openAt(place)
    await one.push(['root', 'kim'].map((name, port) => failed(name, port)))
    await other.push(['ada', 'eve'].map((name, port) => failed(name, port)))
    for (const replica of [one, other]) {
      const { templates } = await replica.templates.listTemplates(list)
      expect(templates).toMatchObject([{ template: 'Failed password for <*> from <*> port <*>', count: 4 }])
      expect((await replica.logs.search({ order: '', template: templates[0]?.templateId ?? '' })).total).toBe(4)
    }
  })
})
