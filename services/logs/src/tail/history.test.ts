import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'
import { eventsOf } from './events-for-tests.ts'

const minute = (number: number) => `2026-03-01T09:${String(number).padStart(2, '0')}:00Z`
const row = (number: number) => ({ source_id: 'attic', text: `row ${number}`, timestamp_iso: minute(number) })
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => row(from + index))
const texts = (from: number, to: number) => rows(from, to).map(({ text }) => text)

const withRows = async () => {
  const service = await openServiceForTests({})
  const logs = service.client(LogsServiceDefinition)
  const push = (entries: readonly object[]) => logs.gleanBatch(batchOf(entries))
  await push(rows(1, 9))
  /** The next entries of a tail that breaks off behind them, with the id that its reader has then. */
  const follow = async (max: number, given: { history?: number; q?: string; lastEventId?: string }) => {
    const left = new AbortController()
    const seen: string[] = []
    let lastEventId = given.lastEventId ?? ''
    for await (const { id, text } of eventsOf(logs.tail(given, { signal: left.signal }))) {
      if (text === undefined) continue
      seen.push(text)
      lastEventId = id || lastEventId
      if (seen.length === max) break
    }
    left.abort()
    return { seen, lastEventId }
  }
  return { push, follow, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test.each([1, 3, 5])(
  'a tail that broke off behind %i of six old entries goes on with the others, then with what is new, each once',
  async (max) => {
    await using service = await withRows()
    const first = await service.follow(max, { history: 6 })
    expect(first.seen).toEqual(texts(4, 3 + max))
    await service.push(rows(10, 11))
    const rest = await service.follow(8 - max, { history: 6, lastEventId: first.lastEventId })
    expect(rest.seen).toEqual(texts(4 + max, 11))
    await service.push(rows(12, 12))
    const next = await service.follow(1, { history: 6, lastEventId: rest.lastEventId })
    expect(next.seen).toEqual(texts(12, 12))
  },
)

test('it may break off again and again, and needs not ask for history once more', async () => {
  await using service = await withRows()
  let { seen, lastEventId } = await service.follow(1, { history: 6, q: 'row' })
  while (seen.length < 6) {
    const more = await service.follow(1, { q: 'row', lastEventId })
    seen = [...seen, ...more.seen]
    lastEventId = more.lastEventId
  }
  expect(seen).toEqual(texts(4, 9))
})

test('a tail that has shown all of its history goes on with what is new alone', async () => {
  await using service = await withRows()
  const first = await service.follow(6, { history: 6 })
  await service.push(rows(10, 10))
  const next = await service.follow(1, { history: 6, lastEventId: first.lastEventId })
  expect(next.seen).toEqual(texts(10, 10))
})

test('what comes late and is older is shown once, in its order', async () => {
  await using service = await withRows()
  const first = await service.follow(2, { history: 4 })
  expect(first.seen).toEqual(texts(6, 7))
  await service.push([{ ...row(8), text: 'late', timestamp_iso: '2026-03-01T09:07:30Z' }, row(10)])
  const rest = await service.follow(4, { history: 4, lastEventId: first.lastEventId })
  expect(rest.seen).toEqual(['late', 'row 8', 'row 9', 'row 10'])
})
