import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
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
  /** Reads `max` entries of a tail and disconnects; returns them with the reader's last event id. */
  const follow = async (max: number, request: { history?: number; q?: string; lastEventId?: string }) => {
    const left = new AbortController()
    const seen: string[] = []
    let lastEventId = request.lastEventId ?? ''
    for await (const { id, text } of eventsOf(logs.tail(request, { signal: left.signal }))) {
      if (text === undefined) continue
      seen.push(text)
      lastEventId = id || lastEventId
      if (seen.length === max) break
    }
    left.abort()
    return { seen, lastEventId }
  }
  const deleteSource = (sourceId: string) => service.client(EntriesServiceDefinition).deleteSource({ sourceId })
  return { push, follow, deleteSource, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test.each([1, 3, 5])(
  'a tail that disconnects after %i of six old entries resumes with the others, then with new ones',
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

test('it may disconnect repeatedly, and need not request the history again', async () => {
  await using service = await withRows()
  let { seen, lastEventId } = await service.follow(1, { history: 6, q: 'row' })
  while (seen.length < 6) {
    const more = await service.follow(1, { q: 'row', lastEventId })
    seen = [...seen, ...more.seen]
    lastEventId = more.lastEventId
  }
  expect(seen).toEqual(texts(4, 9))
})

test('a tail that has shown all of its history resumes with new entries only', async () => {
  await using service = await withRows()
  const first = await service.follow(6, { history: 6 })
  await service.push(rows(10, 10))
  const next = await service.follow(1, { history: 6, lastEventId: first.lastEventId })
  expect(next.seen).toEqual(texts(10, 10))
})

test('older entries that arrive late are shown once, in their order', async () => {
  await using service = await withRows()
  const first = await service.follow(2, { history: 4 })
  expect(first.seen).toEqual(texts(6, 7))
  await service.push([{ ...row(8), text: 'late', timestamp_iso: '2026-03-01T09:07:30Z' }, row(10)])
  const rest = await service.follow(4, { history: 4, lastEventId: first.lastEventId })
  expect(rest.seen).toEqual(['late', 'row 8', 'row 9', 'row 10'])
})

test('a tail that resumes does not receive entries that were deleted meanwhile', async () => {
  await using service = await withRows()
  const first = await service.follow(9, { history: 9 })
  await service.push(rows(10, 11))
  await service.deleteSource('attic')
  await service.push(rows(12, 12))
  const rest = await service.follow(1, { lastEventId: first.lastEventId })
  expect(rest.seen).toEqual(['row 12'])
})
