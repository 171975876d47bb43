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

/** The same kind of error in three sources; and, five months later, a host that only warns. */
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

const ask = (query: string, more = {}) => client.diagnose({ query, timezone: 'UTC', ...more })
const textOf = async (query: string, more = {}) => (await ask(query, more)).summary?.text ?? ''

describe('what a diagnosis says it found', () => {
  test('claims no entry for words that none has, and says what it tells of instead', async () => {
    const text = await textOf('日本語 エラー')
    expect(text).toMatch(/^No entry at any time has ".+ this summary covers all 150 errors found instead\./)
  })

  test('tells how many have one of the words and how many have all, and shows those first', async () => {
    const { entries, summary } = await ask('database connection accepted', { sourceFilter: 'db:attic:pg' })
    expect(summary?.text).toContain(
      '3 entries have one or more of "database", "connection", "accepted" at any time. None has all of them.',
    )
    expect(await textOf('database fine')).toContain('1 has all of them.')
    expect(entries).toHaveLength(3)
    expect((await ask('database fine')).entries[0]?.text).toBe('database is fine')
  })

  test('says that there is no such source when it is told to look in one that is not there', async () => {
    const { summary, entries } = await ask('what failed?', { sourceFilter: 'attic' })
    expect(summary?.text).toContain('There is no source "attic"')
    expect(entries).toEqual([])
  })

  test('counts one as one', async () => {
    const text = await textOf('why was it refused?')
    expect(text).toContain('1 entry has "refused", or words that logs use for it, at any time.')
    expect(text).not.toContain('1 time')
    expect(text).toContain('(1 entry cited)')
  })
})

describe('a source that is named', () => {
  test('is told of by its warnings where it has no errors, and what fails elsewhere is no cause', async () => {
    const { summary, suspectedCauses, entries, timeline } = await ask('what is wrong with plexhost?')
    expect(summary?.text).toContain('plexhost has no errors at any time, but 3 warnings.')
    expect(summary).toMatchObject({ bySeverity: { WARN: 3 }, bySource: { plexhost: 3 } })
    expect(summary?.text).not.toContain('shop:')
    expect(suspectedCauses.map(({ title }) => title)).toEqual([expect.stringContaining('plexhost: playback stalls')])
    expect(entries.slice(0, 3).map(({ sourceId }) => sourceId)).toEqual(['plexhost', 'plexhost', 'plexhost'])
    expect(timeline.reduce((sum, { errors }) => sum + errors, 0)).toBe(0)
  })

  test('is told of by its newest entries where it has no warnings either', async () => {
    const { summary, suspectedCauses, entries } = await ask('the lamp is odd')
    expect(summary?.text).toContain('lamp has neither errors nor warnings at any time')
    expect(entries[0]?.text).toBe('brightness is 1')
    expect(suspectedCauses).toEqual([])
  })

  test('is told of beside another that is named, each by the worst that it has', async () => {
    const { summary, timeline } = await ask('do the south and plexhost hurt each other?')
    expect(summary?.text).toContain('shop:south:web has 39 errors at any time.')
    expect(summary?.text).toContain('plexhost has no errors at any time, but 3 warnings.')
    expect(summary).toMatchObject({ bySeverity: { ERROR: 39, WARN: 3 } })
    expect(timeline.reduce((sum, { count }) => sum + count, 0)).toBe(42)
    expect(timeline.reduce((sum, { errors }) => sum + errors, 0)).toBe(39)
  })

  test('need not be named where entries have the words: what failed months before is no cause of theirs', async () => {
    const { summary, suspectedCauses } = await ask('stalls')
    expect(summary?.text).toContain('First to warn was plexhost')
    expect(summary?.text).not.toContain('shop:')
    expect(suspectedCauses.map(({ title }) => title).join()).not.toContain('shop:')
  })
})

describe('how often a kind of entry came', () => {
  test('is counted in its own source, whatever others say of the kind', async () => {
    const text = await textOf('what failed in the south?')
    expect(text).toContain('shop:south:web has 39 errors at any time.')
    expect(text).toMatch(/was shop:south:web: "[^"]+", 39 times in all/)
  })

  test('is counted in the window alone, of which nothing outside is shown', async () => {
    const window = { since: '2026-02-01T12:00:10Z', until: '2026-02-01T12:00:13Z' }
    const { summary, entries } = await ask('failed', { ...window, sourceFilter: 'shop:south:web' })
    expect(summary?.text).toContain('3 times in all')
    expect(entries.map(({ timestampIso }) => timestampIso).toSorted()).toEqual(
      [10, 11, 12].map((second) => expect.stringContaining(`2026-02-01T12:00:${second}`)),
    )
  })

  test('is told a model with when it first and last came, those not shown included', async () => {
    let asked = ''
    await using server = await serveChat((response, body) => {
      asked = body
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta('It failed [1].') + done)
    })
    await ask('what failed in the north?', { llm: { model: 'm', ...server } })
    expect(asked).toContain('2026-02-01 10:00:00 to 2026-02-01 11:29:00 shop:north:web ERROR ×90: ')
    await ask('what failed in the north?', {
      llm: { model: 'm', ...server },
      since: '2026-02-01T10:00:30Z',
      until: '2026-02-01T11:15:30Z',
    })
    expect(asked).toContain('2026-02-01 10:01:00 to 2026-02-01 11:15:00 shop:north:web ERROR ×75: ')
  })
})

describe('moments in a summary', () => {
  test('are told to the second in a short window, and to the millisecond in one of an instant', async () => {
    const window = { since: '2026-02-01T12:00:10Z', until: '2026-02-01T12:00:40Z' }
    expect(await textOf('failed', window)).toContain('between 2026-02-01 12:00:10 UTC and 2026-02-01 12:00:40 UTC')
    const instant = { since: '2026-02-01T12:00:10.100Z', until: '2026-02-01T12:00:10.900Z' }
    expect(await textOf('failed', instant)).toContain('12:00:10.100 UTC and 2026-02-01 12:00:10.900 UTC')
  })

  test('are those of the clock of whoever asks', async () => {
    const window = { since: '2026-02-01T11:00:00Z', until: '2026-02-01T14:00:00Z' }
    const text = await textOf('failed', { ...window, timezone: 'America/New_York' })
    expect(text).toContain('between 2026-02-01 06:00 UTC-5 and 2026-02-01 09:00 UTC-5')
    expect(text).not.toMatch(/UTC(?!-5)/)
    expect(await textOf('failed', { ...window, timezone: 'Asia/Kolkata' })).toContain('16:30 UTC+5:30')
  })
})

test('a question of blanks is refused, and not answered with all there is', async () => {
  await expect(ask(' \n ')).rejects.toMatchObject({ kind: 'invalid', detail: [{ loc: ['body', 'query'] }] })
})
