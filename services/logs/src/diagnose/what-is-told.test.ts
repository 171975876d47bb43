import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { delta, done, serveChat } from './chat-server-for-tests.ts'

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

describe('how often a kind of entry came', () => {
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
