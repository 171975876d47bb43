import { silentLog } from '@trellis/kit/telemetry'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSharedSearch } from '../branches/shared-search.ts'
import { openEngineIn, type Pushed, serveBranch } from '../branches/stores-for-tests.ts'
import { aroundEntry } from '../search/context.ts'
import type { Order, Position } from '../search/hits.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { orderFields, orderInBatch, orderOf, sequenceOf } from './entry-order.ts'
import { entryIdOf } from './identity.ts'

const moment = '2026-11-23T10:00:00.000Z'
const steps = (count: number, more: Partial<Pushed> = {}): Pushed[] =>
  Array.from({ length: count }, (_, step) => ({ text: `step ${step + 1}`, timestamp_iso: moment, ...more }))
const texts = (count: number) => steps(count).map(({ text }) => text)

let directory: Awaited<ReturnType<typeof temporaryDirectory>>
let store: Awaited<ReturnType<typeof openEngineIn>>
beforeEach(async () => {
  directory = await temporaryDirectory()
  store = await openEngineIn(directory.path)
})
afterEach(async () => {
  await store[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

/** All entries, in pages of `limit`. */
const listed = async ({ search }: Pick<LogEngine, 'search'>, order: Order, limit: number): Promise<string[]> => {
  const found: string[] = []
  let after: Position | null = null
  do {
    const request = { query: null, filters: {}, limit, order, withFacets: false, ...(after && { after }) }
    const { entries, next } = await search(request)
    found.push(...entries.map(({ entry }) => entry.text))
    after = next
  } while (after)
  return found
}

test('the order within a batch is negative, sorts correctly, and yields the sequence', () => {
  const orders = [orderInBatch(0, 1), orderInBatch(0, 2), orderInBatch(1, 1), orderInBatch(49_999, 49_999)]
  expect(orders.toSorted((a, b) => a - b)).toEqual(orders)
  expect(orders.every((order) => order < 0)).toBe(true)
  expect(orders.map(sequenceOf)).toEqual([1, 2, 1, 49_999])
  expect([orderFields(7), orderOf({ sequence: 7 }), sequenceOf(2 ** 52)]).toEqual([{ sequence: 7 }, 7, 2 ** 52])
})

test.each([1, 5, 1000])(
  'entries of the same time are listed as they were sent, in pages of %i, from memory and from segments',
  async (limit) => {
    await store.push(null, steps(40))
    const check = async () => {
      expect(await listed(store.engine, 'oldest', limit)).toEqual(texts(40))
      expect(await listed(store.engine, 'time', limit)).toEqual(texts(40).toReversed())
    }
    await check()
    await store.engine.flush()
    await check()
  },
)

test('entries without any time are also listed as they were sent', async () => {
  await store.push(
    null,
    texts(40).map((text) => ({ text })),
  )
  expect(await listed(store.engine, 'oldest', 7)).toEqual(texts(40))
})

test('the context of an entry is in the order of sending', async () => {
  await store.push(null, steps(12))
  await store.engine.flush()
  const { entries } = await store.engine.search({
    query: { clauses: [[{ words: ['6'], isPrefix: false }]], excluded: [] },
    filters: {},
    limit: 1,
    order: 'time',
    withFacets: false,
  })
  const [sixth] = entries
  if (!sixth) throw new Error('The sixth entry was not found.')
  const signal = new AbortController().signal
  const around = await aroundEntry(store.engine, sixth.entry, { before: 3, after: 20, signal })
  expect(around.map(({ text }) => text)).toEqual(texts(12).slice(2))
})

test('ids and sequences count equal entries, independent of position, and resent ones are recognized', async () => {
  const batch = [...steps(3), ...steps(2)]
  await store.push(null, batch)
  await store.engine.flush()
  await store.push(null, [...steps(2), ...steps(3)].toReversed())
  const { entries } = await store.engine.search({
    query: null,
    filters: {},
    limit: 10,
    order: 'oldest',
    withFacets: false,
  })
  expect(entries.map(({ entry: { text, sequence } }) => [text, sequence])).toEqual([
    ['step 1', 1],
    ['step 2', 1],
    ['step 3', 1],
    ['step 1', 2],
    ['step 2', 2],
  ])
  for (const { entry } of entries)
    expect(entry.entryId).toBe(
      entryIdOf({ sourceId: 'app', sequence: entry.sequence, timestampIso: moment, text: entry.text }),
    )
})

test('across branches entries are listed as they were sent, page by page, without loss or repetition', async () => {
  await using barn = await serveBranch('barn')
  await store.push(null, steps(9))
  await barn.push(steps(9))
  const directory = { active: async () => [barn.active] }
  const shared = createSharedSearch({ own: store.engine, directory, waitMilliseconds: 10_000, log: silentLog })
  const found = await listed(shared.engine, 'oldest', 4)
  expect(found).toEqual(texts(9).flatMap((text) => [text, text]))
})
