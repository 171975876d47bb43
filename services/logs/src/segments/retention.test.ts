import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { search } from '../search/search.ts'
import { createBudget } from './budget.ts'
import { daysOf, type Retention, unlimitedRetention } from './retention.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Line } from './store-for-tests.ts'

const day = 86_400_000
const start = 1_700_000_000_000
const lines = (sourceId: string, count: number, from = 0): Line[] =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${from + index}`, sequence: from + index + 1, sourceId }))

const countIn = async (shard: Shard, source?: string): Promise<number> => {
  const parts = shard.parts()
  try {
    const filters = source === undefined ? {} : { source }
    const request = { query: null, filters, limit: 1, order: 'time', withFacets: false } as const
    return (await search(parts, request, { domainOf: () => '' })).total
  } finally {
    for (const part of parts) part.release()
  }
}
const request = (retention: Partial<Retention>, now: number, isThorough = false) => ({
  retention: { ...unlimitedRetention, ...retention },
  now,
  isThorough,
})

test('the retention of a source is that of the longest configured prefix of its id, else the default', () => {
  const retention: Retention = {
    days: 30,
    bytes: null,
    sources: [
      { source: 'journald', days: 7 },
      { source: 'journald:attic', days: 90 },
    ],
  }
  expect(
    ['app', 'journald', 'journald:barn:cron', 'journald:attic:cron', 'journaldx'].map((id) => daysOf(retention, id)),
  ).toEqual([30, 7, 7, 90, 30])
})

test('expired segments are dropped, and partly expired ones are rewritten when it is worthwhile', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open({ documents: 200 })
  const { shard, catalogue } = opened
  for (let number = 0; number < 3; number++) {
    await shard.ingest(batchOf(lines('app', 60, number * 60), start + number * 10 * day))
    if (number === 1) await shard.ingest(batchOf(lines('app', 60, 1_000), start + 19 * day))
    await shard.flush()
  }
  const keys = async () => (await catalogue.list()).map(({ key }) => key)
  const before = await keys()
  expect(await shard.maintain(request({ days: 15 }, start + 16 * day))).toMatchObject({ entries: 60, files: 1 })
  expect(await keys()).toEqual(before.slice(1))
  // Some entries of the second segment are nine days old and only slightly overdue, so it is not rewritten yet.
  expect(await shard.maintain(request({ days: 9 }, start + 19.5 * day))).toMatchObject({ entries: 0 })
  expect(await shard.maintain(request({ days: 9 }, start + 21 * day))).toMatchObject({ entries: 60 })
  expect(await countIn(shard)).toBe(120)
  expect(await readdir(join(folder.directory, 'files', 'segments'))).toHaveLength(2)
  expect(opened.problems).toEqual([])
})

test('a source with a retention of its own expires by it, in segments that it shares with others', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  const { shard } = opened
  await shard.ingest(batchOf([...lines('noisy', 20), ...lines('quiet', 20)], start))
  const retention = { sources: [{ source: 'noisy', days: 2 }] }
  expect(await shard.maintain(request(retention, start + day))).toMatchObject({ entries: 0 })
  expect(await shard.maintain(request(retention, start + 4 * day))).toMatchObject({ entries: 20 })
  expect([await countIn(shard, 'noisy'), await countIn(shard, 'quiet')]).toEqual([0, 20])
})

test('with a size limit, the segments that arrived first are dropped until the rest fits', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open({ documents: 100 })
  const { shard, catalogue } = opened
  for (let number = 0; number < 3; number++) {
    await shard.ingest(batchOf(lines('app', 90, number * 90), start + number))
    await shard.flush()
  }
  const all = await catalogue.list()
  const bytes = all.slice(1).reduce((sum, row) => sum + row.bytes, 0)
  expect(await shard.maintain(request({ bytes }, start))).toEqual({ entries: 90, bytes: all[0]?.bytes, files: 1 })
  expect((await catalogue.list()).map(({ key }) => key)).toEqual(all.slice(1).map(({ key }) => key))
})

test('leftovers of a crash are removed, and hidden and changed entries are rewritten', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  const { shard, files, catalogue } = opened
  await shard.ingest(batchOf([...lines('app', 20), { text: 'graded', entryId: 'graded', sourceId: 'other' }]))
  await shard.flush()
  await files.write('segments/left-behind', Buffer.alloc(1_000))
  await shard.setSeverity('graded', 'CRITICAL')
  await shard.deleteSource('app')
  const freed = await shard.maintain(request({}, start, true))
  expect(freed).toMatchObject({ entries: expect.any(Number), files: 1 })
  expect(freed.bytes).toBeGreaterThanOrEqual(1_000)
  expect((await catalogue.read()).amendments).toEqual({ tombstones: [], overrides: [] })
  expect(await readdir(join(folder.directory, 'files', 'segments'))).toHaveLength(1)
  expect(await countIn(shard)).toBe(1)
})

test('while entries arrive, deferrable steps take only their share of the time', async () => {
  let now = 0
  const pauses: number[] = []
  const pause = async (milliseconds: number) => void pauses.push(milliseconds)
  const budget = createBudget({ share: 0.25, elapsed: () => now, pause })
  const step = () =>
    budget.step(async () => {
      now += 20
    })
  await step()
  expect(pauses).toEqual([])
  budget.busy()
  await step()
  now += 5_000
  await step()
  expect(pauses).toEqual([60])
})
