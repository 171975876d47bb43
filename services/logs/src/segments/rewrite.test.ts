import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { search } from '../search/search.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Line, type ShardFolder } from './store-for-tests.ts'

const key = Buffer.alloc(32, 7)
const anonymize = { kind: 'anonymize', key } as const
const hour = 3_600_000

const textsOf = async (shard: Shard): Promise<string[]> => {
  const parts = shard.parts()
  try {
    const request = { query: null, filters: {}, limit: 1_000, order: 'oldest', withFacets: false } as const
    return (await search(parts, request, { domainOf: () => '' })).entries.map(({ entry }) => entry.text)
  } finally {
    for (const part of parts) part.release()
  }
}

/** The content of a file; empty if it was removed since it was listed, because the append log is trimmed once a segment exists. */
const readIfThere = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })

/** The bytes of all files in a folder. */
const bytesIn = async (directory: string): Promise<Buffer> => {
  const files = await readdir(directory, { recursive: true, withFileTypes: true })
  const contents = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readIfThere(join(file.parentPath, file.name))),
  )
  return Buffer.concat(contents)
}

const visits = (count: number, from = 0): Line[] =>
  Array.from({ length: count }, (_, index) => ({
    text: `visit ${from + index} from 192.0.2.${(from + index) % 5} by user=kim${(from + index) % 3}`,
    sequence: from + index + 1,
  }))

describe('rewriting all stored entries', () => {
  let folder: ShardFolder
  beforeEach(async () => {
    folder = await createShardFolder()
  })
  afterEach(() => folder[Symbol.asyncDispose]())

  test('replaces personal data by pseudonyms, in segments and memory, and leaves none of it on disk', async () => {
    {
      await using opened = await folder.open()
      const { shard } = opened
      for (let from = 0; from < 200; from += 20) await shard.ingest(batchOf(visits(20, from)))
      await shard.ingest(batchOf([{ text: 'the pump runs', sequence: 999 }]))
      expect((await bytesIn(join(folder.directory, 'log'))).includes('192.0.2.')).toBe(true)

      expect(await shard.rewrite(anonymize)).toEqual({ entries: 200, addresses: 5, usernames: 3 })
      const texts = await textsOf(shard)
      expect(texts).toHaveLength(201)
      expect(
        texts.filter((text) => /^visit \d+ from ip4-[0-9a-f]{12} by user=user-[0-9a-f]{12}$/.test(text)),
      ).toHaveLength(200)
      expect(texts).toContain('the pump runs')
      expect(await shard.rewrite(anonymize)).toEqual({ entries: 0, addresses: 0, usernames: 0 })

      await shard.ingest(batchOf([{ text: 'later from 192.0.2.1', sequence: 1_000 }]))
      expect(await textsOf(shard)).toContain('later from 192.0.2.1')
    }
    await using again = await folder.open()
    expect(again.problems).toEqual([])
    expect(await textsOf(again.shard)).toHaveLength(202)
    await again.shard.rewrite(anonymize)
    expect((await bytesIn(join(folder.directory, 'log'))).includes('192.0.2.')).toBe(false)
    for await (const file of again.files.list('segments/'))
      expect((await again.catalogue.list()).map((row) => row.key)).toContain(file.key)
  })

  test('accepts entries meanwhile, and rejects a concurrent rewrite', async () => {
    await using opened = await folder.open()
    const { shard } = opened
    for (let from = 0; from < 300; from += 20) await shard.ingest(batchOf(visits(20, from)))
    const rewriting = shard.rewrite(anonymize)
    await expect(shard.rewrite(anonymize)).rejects.toMatchObject({ kind: 'conflict' })
    for (let from = 300; from < 400; from += 20)
      expect(await shard.ingest(batchOf(visits(20, from)))).toEqual({ entries: 20, duplicates: 0 })
    await rewriting
    const numbers = (await textsOf(shard)).map((text) => Number(/^visit (\d+)/.exec(text)?.[1]))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, index) => index))
  })

  test('drops exactly the entries that arrived before a moment, whatever their times', async () => {
    await using opened = await folder.open()
    const { shard } = opened
    const start = 1_700_000_000_000
    for (let batch = 0; batch < 10; batch++) {
      const lines = visits(20, batch * 20).map((line) => ({ ...line, time: 1_000 }))
      await shard.ingest(batchOf(lines, start + batch * hour))
    }
    const before = start + 4 * hour
    expect(await shard.rewrite({ kind: 'expire', before })).toMatchObject({ entries: 80 })
    expect(await textsOf(shard)).toHaveLength(120)
    expect(await shard.rewrite({ kind: 'expire', before })).toMatchObject({ entries: 0 })
    expect(await shard.rewrite({ kind: 'expire', before: start + 100 * hour })).toMatchObject({ entries: 120 })
    expect(await textsOf(shard)).toEqual([])
    expect(await opened.catalogue.list()).toEqual([])
    expect(await shard.ingest(batchOf(visits(1)))).toEqual({ entries: 1, duplicates: 0 })
  })
})
