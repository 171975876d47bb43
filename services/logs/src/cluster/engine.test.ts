import { describe, expect, test } from 'vitest'
import { parseQuery } from '../search/query.ts'
import { batchOf } from '../segments/store-for-tests.ts'
import { chunkOf, linesInAll, totalChunks } from '../threads/made-lines.ts'
import { createShared, type Replica } from './replicas-for-tests.ts'

const count = async ({ engine }: Replica, q: string) =>
  (await engine.search({ query: parseQuery(q), filters: {}, limit: 10, order: 'time', withFacets: false })).total

const upload = async ({ engine }: Replica, sourceId = 'made') => {
  const file = await engine.ingestFile({ source: { sourceId, branch: null, tenantId: null }, reference: 0 })
  for (let chunk = 0; chunk < totalChunks; chunk++) await file.push(chunkOf(chunk))
  return file.end()
}
const lines = (amount: number, from = 0) =>
  Array.from({ length: amount }, (_, index) => ({ text: `line ${from + index} of many`, sequence: from + index + 1 }))

describe('replicas of the log engine', () => {
  test('what one took is found through the other at once', async () => {
    await using world = await createShared()
    await using one = await world.open()
    await using other = await world.open()
    for (let round = 0; round < 5; round++) {
      expect(await one.engine.ingest(batchOf(lines(10, round * 10)))).toEqual({ entries: 10, duplicates: 0 })
      expect(await count(other, 'many')).toBe((round + 1) * 10)
    }
    expect([...one.problems, ...other.problems]).toEqual([])
  })

  test('a file goes in through one, and again through the other as duplicates only', async () => {
    await using world = await createShared()
    await using one = await world.open()
    await using other = await world.open()
    expect((await upload(one)).counts).toMatchObject({ lines: linesInAll, entries: linesInAll, duplicates: 0 })
    expect(await count(other, 'made')).toBe(linesInAll)
    expect((await upload(other)).counts).toMatchObject({ lines: linesInAll, entries: 0, duplicates: linesInAll })
    expect(await count(one, `n${linesInAll - 1}`)).toBe(1)
    expect([...one.problems, ...other.problems]).toEqual([])
  })

  test('the same entries sent to both at the same time are kept once, and the answers say who had them', async () => {
    await using world = await createShared()
    await using one = await world.open()
    await using other = await world.open()
    const results = await Promise.all([upload(one), upload(other)])
    expect(results.reduce((sum, { counts }) => sum + counts.entries, 0)).toBe(linesInAll)
    expect(results.reduce((sum, { counts }) => sum + counts.duplicates, 0)).toBe(linesInAll)
    expect(await count(one, 'made')).toBe(linesInAll)
    expect(await count(other, 'made')).toBe(linesInAll)
    expect([...one.problems, ...other.problems]).toEqual([])
  })
})
