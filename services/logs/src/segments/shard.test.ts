import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { parseQuery } from '../search/query.ts'
import { search } from '../search/search.ts'
import { SegmentCorrupt } from './segment-layout.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder } from './store-for-tests.ts'

const find = async (shard: Shard, query: string) => {
  for (;;) {
    const parts = shard.parts()
    try {
      return await search(
        parts,
        { query: parseQuery(query), filters: {}, limit: 1000, order: 'time', withFacets: false },
        { domainOf: () => '' },
      )
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      shard.exclude(error)
    } finally {
      for (const part of parts) part.release()
    }
  }
}
const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${from + index} of many`, sequence: from + index + 1 }))

describe('a shard', () => {
  test('has stored entries at once, after a restart, and in segments', async () => {
    await using folder = await createShardFolder()
    {
      await using opened = await folder.open()
      expect(await opened.shard.ingest(batchOf(lines(10)))).toEqual({ entries: 10, duplicates: 0 })
      expect((await find(opened.shard, 'many')).total).toBe(10)
    }
    await using again = await folder.open()
    expect((await find(again.shard, 'many')).total).toBe(10)
    await again.shard.flush()
    expect((await again.catalogue.list()).map(({ documents }) => documents)).toEqual([10])
    expect((await find(again.shard, '"7 of many"')).entries.map(({ entry }) => entry.text)).toEqual(['line 7 of many'])
  })

  test('a batch whose template lookup fails is rejected for its sender only and is not in the log', async () => {
    await using folder = await createShardFolder()
    {
      let failures = 1
      const templates = {
        idsOf: (shapes: readonly string[]) =>
          failures-- > 0 ? Promise.reject(new Error('the rows are gone')) : Promise.resolve(shapes.map(() => '')),
      }
      await using opened = await folder.open({}, (foundations) => ({ ...foundations, templates }))
      await expect(opened.shard.ingest(batchOf(lines(3)))).rejects.toThrow('the rows are gone')
      expect(await opened.shard.ingest(batchOf(lines(2, 10)))).toEqual({ entries: 2, duplicates: 0 })
    }
    await using again = await folder.open()
    expect((await find(again.shard, 'many')).total).toBe(2)
  })

  test('a shard whose log cannot be written rejects further batches with the reason', async () => {
    await using folder = await createShardFolder()
    const append = async () => {
      await setImmediate()
      throw new Error('the disk is gone')
    }
    await using opened = await folder.open({}, (foundations) => ({
      ...foundations,
      log: { ...foundations.log, append },
    }))
    expect(opened.shard.failure).toBeUndefined()
    await expect(opened.shard.ingest(batchOf(lines(3)))).rejects.toThrow('the disk is gone')
    await expect(opened.shard.ingest(batchOf(lines(3)))).rejects.toThrow('the disk is gone')
    expect(opened.shard.failure?.message).toContain('the disk is gone')
  })

  test('detects duplicates: in memory, in a segment, after a restart, and in one batch', async () => {
    await using folder = await createShardFolder()
    const batch = () => batchOf([...lines(5), { text: 'line 0 of many', sequence: 1 }])
    {
      await using opened = await folder.open()
      expect(await opened.shard.ingest(batch())).toEqual({ entries: 5, duplicates: 1 })
      expect(await opened.shard.ingest(batch())).toEqual({ entries: 0, duplicates: 6 })
      await opened.shard.flush()
      expect(await opened.shard.ingest(batch())).toEqual({ entries: 0, duplicates: 6 })
    }
    await using again = await folder.open()
    expect(await again.shard.ingest(batch())).toEqual({ entries: 0, duplicates: 6 })
    expect(await again.shard.ingest(batchOf([{ text: 'line 0 of many', sequence: 1, sourceId: 'other' }]))).toEqual({
      entries: 1,
      duplicates: 0,
    })
  })

  test('an origin without new entries leaves no trace', async () => {
    await using folder = await createShardFolder()
    await using opened = await folder.open()
    const old = { text: 'old', sequence: 1, sourceId: 'known', time: 5_000 }
    await opened.shard.ingest(batchOf([old]))
    await opened.shard.flush()
    const fresh = { text: 'fresh', sequence: 1, sourceId: 'new', time: 6_000 }
    expect(await opened.shard.ingest(batchOf([old, fresh]))).toEqual({ entries: 1, duplicates: 1 })
    await opened.shard.flush()
    const parts = opened.shard.parts()
    expect(parts.map(({ streams }) => streams.map(({ origin, firstTime }) => [origin.sourceId, firstTime]))).toEqual([
      [['known', 5_000]],
      [['new', 6_000]],
    ])
    for (const part of parts) part.release()
  })

  test("uses a sender's own id", async () => {
    await using folder = await createShardFolder()
    await using opened = await folder.open()
    const entry = { text: 'hello', entryId: 'my-own-id' }
    expect(await opened.shard.ingest(batchOf([entry]))).toEqual({ entries: 1, duplicates: 0 })
    await opened.shard.flush()
    expect(await opened.shard.ingest(batchOf([{ ...entry, text: 'another text', sequence: 9 }]))).toEqual({
      entries: 0,
      duplicates: 1,
    })
    expect((await find(opened.shard, 'hello')).entries[0]?.entry.entryId).toBe('my-own-id')
  })

  test('merges small segments without losing or duplicating entries', async () => {
    await using folder = await createShardFolder()
    {
      await using opened = await folder.open()
      for (let part = 0; part < 6; part++) {
        await opened.shard.ingest(batchOf(lines(8, part * 8)))
        await opened.shard.flush()
      }
    }
    await using again = await folder.open()
    expect((await again.catalogue.list()).length).toBeLessThan(6)
    const found = await find(again.shard, 'many')
    expect(new Set(found.entries.map(({ entry }) => entry.sequence)).size).toBe(48)
    expect(found.total).toBe(48)
    expect(await again.shard.ingest(batchOf(lines(48)))).toEqual({ entries: 0, duplicates: 48 })
  })

  test('a batch larger than an index has an index of its own', async () => {
    await using folder = await createShardFolder()
    await using opened = await folder.open({ documents: 16 })
    expect(await opened.shard.ingest(batchOf(lines(100)))).toEqual({ entries: 100, duplicates: 0 })
    await opened.shard.flush()
    expect((await find(opened.shard, 'many')).total).toBe(100)
  })

  test('any damaged byte of a segment is reported, and the other segments are still found', async () => {
    await using folder = await createShardFolder()
    {
      await using opened = await folder.open()
      await opened.shard.ingest(batchOf(lines(20)))
      await opened.shard.flush()
      await opened.shard.ingest(batchOf(lines(20, 20)))
      await opened.shard.flush()
    }
    const segments = join(folder.directory, 'files', 'segments')
    const [victim] = (await readdir(segments)).toSorted()
    if (!victim) throw new Error('There is no segment to damage.')
    const whole = await readFile(join(segments, victim))
    for (let offset = 0; offset < whole.length; offset += 61) {
      const damaged = Buffer.from(whole)
      damaged[offset] = (damaged[offset] ?? 0) ^ 0x10
      await writeFile(join(segments, victim), damaged)
      await using opened = await folder.open()
      const found = await find(opened.shard, 'many')
      expect({ offset, total: found.total, damaged: opened.shard.damaged }).toEqual({
        offset,
        total: 20,
        damaged: [`segments/${victim}`],
      })
      expect(opened.problems[0]).toContain(victim)
    }
  })

  test('a truncated segment is also reported', async () => {
    await using folder = await createShardFolder()
    {
      await using opened = await folder.open()
      await opened.shard.ingest(batchOf(lines(20)))
      await opened.shard.flush()
    }
    const segments = join(folder.directory, 'files', 'segments')
    const [name = ''] = await readdir(segments)
    await writeFile(join(segments, name), (await readFile(join(segments, name))).subarray(0, 500))
    await using opened = await folder.open()
    expect(opened.shard.damaged).toEqual([`segments/${name}`])
    expect(await opened.shard.ingest(batchOf(lines(1, 500)))).toEqual({ entries: 1, duplicates: 0 })
  })

  test('a log record that was torn by a crash is skipped; damage before the end of the log is reported', async () => {
    await using folder = await createShardFolder()
    {
      await using opened = await folder.open()
      for (let part = 0; part < 4; part++) await opened.shard.ingest(batchOf(lines(30, part * 30)))
    }
    const log = join(folder.directory, 'log')
    const names = (await readdir(log)).toSorted()
    const last = join(log, names.at(-1) ?? '')
    await writeFile(last, (await readFile(last)).subarray(0, -3))
    {
      await using opened = await folder.open({ documents: 200 })
      expect(opened.problems).toEqual([])
      expect((await find(opened.shard, 'many')).total).toBeLessThan(120)
    }
  })

  test.each(['trimmed', 'lost'])('entries that are stored after its log was %s also survive a crash', async (how) => {
    await using folder = await createShardFolder()
    {
      await using opened = await folder.open()
      await opened.shard.ingest(batchOf(lines(10)))
      await opened.shard.ingest(batchOf(lines(10, 10)))
    }
    {
      await using opened = await folder.open()
      await opened.shard.flush()
    }
    if (how === 'lost') await rm(join(folder.directory, 'log'), { recursive: true })
    {
      await using opened = await folder.open()
      await opened.shard.ingest(batchOf(lines(10, 20)))
    }
    await using again = await folder.open()
    expect((await find(again.shard, 'many')).total).toBe(30)
  })
})
