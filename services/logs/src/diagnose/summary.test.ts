import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { delta, done, serveChat } from '@trellis/test/support/chat-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const entry = (timestamp_iso: string, source_id: string, text: string, severity: string | null) => ({
  source_id,
  text,
  timestamp_iso,
  severity,
})
const padded = (number: number) => String(number).padStart(2, '0')
const every = (count: number, of: (index: number) => ReturnType<typeof entry>) =>
  Array.from({ length: count }, (_, index) => of(index))

const refused = (source: string, time: string, number: number) =>
  entry(time, source, `GET /item/${number} failed: worker ${number} gave up`, 'ERROR')

/** The same template of errors in three sources; and, five months later, a host that only warns. */
const story = [
  ...every(90, (index) =>
    refused('shop:north:web', `2026-02-01T1${Math.floor(index / 60)}:${padded(index % 60)}:00Z`, index),
  ),
  ...every(39, (index) => refused('shop:south:web', `2026-02-01T12:00:${padded(index)}Z`, index)),
  ...every(20, (index) => refused('shop:east:web', `2026-02-01T13:00:${padded(index)}Z`, index)),
  ...every(3, (index) => entry(`2026-07-01T20:0${index}:00Z`, 'plexhost', `playback stalls on tv ${index}`, 'WARN')),
  ...every(2, (index) => entry(`2026-07-01T20:0${index}:30Z`, 'lamp', `brightness is ${index}`, null)),
  entry('2026-03-01T08:00:00Z', 'db:attic:pg', 'database connection refused', 'ERROR'),
  entry('2026-03-01T08:00:01Z', 'db:attic:pg', 'database is fine', null),
  entry('2026-03-01T08:00:02Z', 'db:attic:pg', 'connection accepted', null),
]

const service = await openServiceForTests({ now: () => Date.parse('2026-07-20T09:00:00Z') })
const client = service.client(LogsServiceDefinition)
beforeAll(async () => {
  expect(await client.gleanBatch(batchOf(story))).toMatchObject({ accepted: story.length })
})
afterAll(() => service[Symbol.asyncDispose]())

const diagnose = (query: string, more = {}) => client.diagnose({ query, timezone: 'UTC', ...more })
const textOf = async (query: string, more = {}) => (await diagnose(query, more)).summary?.text ?? ''

describe('the findings of a summary', () => {
  test('include no count for words that no entry has, but what the summary covers instead', async () => {
    const text = await textOf('日本語 エラー')
    expect(text).toMatch(/^No entry at any time has ".+ this summary covers all 150 errors found instead\./)
  })

  test('include the numbers of entries with one word and with all, and the latter are shown first', async () => {
    const { entries, summary } = await diagnose('database connection accepted', { sourceFilter: 'db:attic:pg' })
    expect(summary?.text).toContain(
      '3 entries have one or more of "database", "connection", "accepted" at any time. None has all of them.',
    )
    expect(await textOf('database fine')).toContain('1 has all of them.')
    expect(entries).toHaveLength(3)
    expect((await diagnose('database fine')).entries[0]?.text).toBe('database is fine')
  })

  test('report a source filter without a source', async () => {
    const { summary, entries } = await diagnose('what failed?', { sourceFilter: 'attic' })
    expect(summary?.text).toContain('There is no source "attic"')
    expect(entries).toEqual([])
  })

  test('use the singular for one', async () => {
    const text = await textOf('why was it refused?')
    expect(text).toContain('1 entry has "refused", or words that logs use for it, at any time.')
    expect(text).not.toContain('1 time')
    expect(text).toContain('(1 entry cited)')
  })
})

describe('a named source', () => {
  test('without errors is summarised by its warnings, and failures elsewhere are not causes', async () => {
    const { summary, suspectedCauses, entries, timeline } = await diagnose('what is wrong with plexhost?')
    expect(summary?.text).toContain('plexhost has no errors at any time, but 3 warnings.')
    expect(summary).toMatchObject({ bySeverity: { WARN: 3 }, bySource: { plexhost: 3 } })
    expect(summary?.text).not.toContain('shop:')
    expect(suspectedCauses.map(({ title }) => title)).toEqual([expect.stringContaining('plexhost: playback stalls')])
    expect(entries.slice(0, 3).map(({ sourceId }) => sourceId)).toEqual(['plexhost', 'plexhost', 'plexhost'])
    expect(timeline.reduce((sum, { errors }) => sum + errors, 0)).toBe(0)
  })

  test('without warnings is summarised by its newest entries', async () => {
    const { summary, suspectedCauses, entries } = await diagnose('the lamp is odd')
    expect(summary?.text).toContain('lamp has neither errors nor warnings at any time')
    expect(entries[0]?.text).toBe('brightness is 1')
    expect(suspectedCauses).toEqual([])
  })

  test('is summarised beside another named source, each by its most severe entries', async () => {
    const { summary, timeline } = await diagnose('do the south and plexhost hurt each other?')
    expect(summary?.text).toContain('shop:south:web has 39 errors at any time.')
    expect(summary?.text).toContain('plexhost has no errors at any time, but 3 warnings.')
    expect(summary).toMatchObject({ bySeverity: { ERROR: 39, WARN: 3 } })
    expect(timeline.reduce((sum, { count }) => sum + count, 0)).toBe(42)
    expect(timeline.reduce((sum, { errors }) => sum + errors, 0)).toBe(39)
  })

  test('is not required if entries have the words: failures of months before are not their causes', async () => {
    const { summary, suspectedCauses } = await diagnose('stalls')
    expect(summary?.text).toContain('First to warn was plexhost')
    expect(summary?.text).not.toContain('shop:')
    expect(suspectedCauses.map(({ title }) => title).join()).not.toContain('shop:')
  })
})

describe('the count of a kind of entry', () => {
  test('is the one of its own source, even if others have the same template', async () => {
    const text = await textOf('what failed in the south?')
    expect(text).toContain('shop:south:web has 39 errors at any time.')
    expect(text).toMatch(/was shop:south:web: "[^"]+", 39 times in all/)
  })

  test('is limited to the window, and entries outside are not shown', async () => {
    const window = { since: '2026-02-01T12:00:10Z', until: '2026-02-01T12:00:13Z' }
    const { summary, entries } = await diagnose('failed', { ...window, sourceFilter: 'shop:south:web' })
    expect(summary?.text).toContain('3 times in all')
    expect(entries.map(({ timestampIso }) => timestampIso).toSorted()).toEqual(
      [10, 11, 12].map((second) => expect.stringContaining(`2026-02-01T12:00:${second}`)),
    )
  })

  test('is sent to a model with the first and last times, including entries that are not shown', async () => {
    let requested = ''
    await using server = await serveChat((response, body) => {
      requested = body
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta('It failed [1].') + done)
    })
    await diagnose('what failed in the north?', { llm: { model: 'm', ...server } })
    expect(requested).toContain('2026-02-01 10:00:00 to 2026-02-01 11:29:00 shop:north:web ERROR ×90: ')
    await diagnose('what failed in the north?', {
      llm: { model: 'm', ...server },
      since: '2026-02-01T10:00:30Z',
      until: '2026-02-01T11:15:30Z',
    })
    expect(requested).toContain('2026-02-01 10:01:00 to 2026-02-01 11:15:00 shop:north:web ERROR ×75: ')
  })
})

describe('times in a summary', () => {
  test('are precise to the second in a short window, and to the millisecond below a second', async () => {
    const window = { since: '2026-02-01T12:00:10Z', until: '2026-02-01T12:00:40Z' }
    expect(await textOf('failed', window)).toContain('between 2026-02-01 12:00:10 UTC and 2026-02-01 12:00:40 UTC')
    const instant = { since: '2026-02-01T12:00:10.100Z', until: '2026-02-01T12:00:10.900Z' }
    expect(await textOf('failed', instant)).toContain('12:00:10.100 UTC and 2026-02-01 12:00:10.900 UTC')
  })

  test('are in the time zone of the request', async () => {
    const window = { since: '2026-02-01T11:00:00Z', until: '2026-02-01T14:00:00Z' }
    const text = await textOf('failed', { ...window, timezone: 'America/New_York' })
    expect(text).toContain('between 2026-02-01 06:00 UTC-5 and 2026-02-01 09:00 UTC-5')
    expect(text).not.toMatch(/UTC(?!-5)/)
    expect(await textOf('failed', { ...window, timezone: 'Asia/Kolkata' })).toContain('16:30 UTC+5:30')
  })
})

test('a blank question is rejected', async () => {
  await expect(diagnose(' \n ')).rejects.toMatchObject({ kind: 'invalid', detail: [{ loc: ['body', 'query'] }] })
})
