import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const at = (timestamp: string, text: string) => ({ source_id: 'attic', text, timestamp_iso: timestamp })
const hours = ['09', '10', '11'].map((hour) => at(`2026-03-01T${hour}:15:00Z`, `tick of ${hour}`))
const broken = [at('9999-12-31T23:59:59Z', 'tick of a broken clock'), at('2026-03-09T00:00:00Z', 'tick of next week')]

const withEntries = async (entries: readonly object[]) => {
  const service = await openServiceForTests({ now: () => now })
  const logs = service.client(LogsServiceDefinition)
  await logs.gleanBatch(batchOf(entries))
  const search = async (given: object = {}) => {
    const { total, histogram } = await logs.search({ q: '', order: '', ...given })
    const counts = histogram?.counts ?? []
    const sum = counts.reduce((all, count) => all + count, 0)
    return { total, sum, start: histogram?.start, seconds: histogram?.bucketSeconds, later: histogram?.later }
  }
  return { search, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('entries of a clock that is far ahead leave the histogram of the others as it is, and are counted apart', async () => {
  await using without = await withEntries(hours)
  await using along = await withEntries([...hours, ...broken])
  const expected = await without.search()
  expect(expected).toMatchObject({ total: 3, sum: 3, later: 0, seconds: 120, start: '2026-03-01T09:14:00.000Z' })
  expect(await along.search()).toEqual({ ...expected, total: 5, later: 2 })
  expect(await along.search({ q: 'tick' })).toEqual({ ...expected, total: 5, later: 2 })
})

test('whoever names a time, or has found nothing else, is shown what is far ahead', async () => {
  await using along = await withEntries([...hours, ...broken])
  expect(await along.search({ until: '9999-12-31T23:59:59.999Z' })).toMatchObject({ total: 5, sum: 5, later: 0 })
  expect(await along.search({ since: '2026-03-08T00:00:00Z' })).toMatchObject({ total: 2, sum: 2, later: 0 })
  expect(await along.search({ q: 'broken' })).toMatchObject({ total: 1, sum: 1, later: 0 })
})
