import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { search } from '../search/search.ts'
import { SegmentCorrupt } from './segment-layout.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Foundations } from './store-for-tests.ts'

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${from + index} of many`, sequence: from + index + 1 }))

/** The total of a search that excludes damaged segments, as the index thread does. */
const totalOf = async (shard: Shard): Promise<number> => {
  const request = { query: null, filters: {}, limit: 100, order: 'oldest', withFacets: false } as const
  for (;;) {
    const parts = shard.parts()
    try {
      return (await search(parts, request, { domainOf: () => '' })).total
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      shard.exclude(error)
    } finally {
      for (const part of parts) part.release()
    }
  }
}

/** A shard with 10 entries in a segment that is not cached; `refuse` makes reads of that segment fail with an error code. */
const openWithSegment = async () => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createShardFolder())
  let code: string | undefined
  const failing = ({ files, ...others }: Foundations): Foundations => ({
    ...others,
    files: {
      ...files,
      readRange: async (...parameters) => {
        if (code !== undefined) throw Object.assign(new Error(`${code}: read`), { code })
        return files.readRange(...parameters)
      },
    },
  })
  const open = () => folder.open({}, failing)
  const opened = stack.use(await open())
  await opened.shard.ingest(batchOf(lines(10)))
  await opened.shard.flush()
  const [row] = await opened.catalogue.list()
  opened.shard.dropCache()
  const moved = stack.move()
  return {
    ...opened,
    key: row?.key ?? '',
    path: join(folder.directory, 'files', row?.key ?? ''),
    open,
    refuse: (errorCode: string | undefined) => {
      code = errorCode
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}
type Opened = Awaited<ReturnType<typeof openWithSegment>>

const damages: [string, (opened: Opened) => Promise<void>][] = [
  ['removed', ({ path }) => rm(path)],
  [
    'replaced by a folder',
    async ({ path }) => {
      await rm(path)
      await mkdir(path)
    },
  ],
  ['on a failing medium', async ({ refuse }) => refuse('EIO')],
]

test.each(damages)('ingest of known entries excludes and reports a segment that is %s', async (_, damage) => {
  await using opened = await openWithSegment()
  await damage(opened)
  const { shard, problems, key } = opened
  expect(await shard.ingest(batchOf(lines(15)))).toEqual({ entries: 15, duplicates: 0 })
  expect(shard.damaged).toEqual([key])
  expect(problems).toEqual([expect.stringContaining(`Segment "${key}" is damaged: its file `)])
  expect(await totalOf(shard)).toBe(15)
})

test.each(damages)('a search excludes and reports a segment that is %s', async (_, damage) => {
  await using opened = await openWithSegment()
  await opened.shard.ingest(batchOf(lines(5, 10)))
  await damage(opened)
  expect(await totalOf(opened.shard)).toBe(5)
  expect(opened.shard.damaged).toEqual([opened.key])
  expect(opened.problems).toHaveLength(1)
})

test.each(['EMFILE', 'ENFILE', 'ENOMEM'])(
  '%s is not damage: the read fails, and succeeds when repeated',
  async (code) => {
    await using opened = await openWithSegment()
    const { shard, refuse } = opened
    refuse(code)
    await expect(shard.ingest(batchOf(lines(15)))).rejects.toMatchObject({ code })
    await expect(totalOf(shard)).rejects.toMatchObject({ code })
    refuse(undefined)
    expect(await totalOf(shard)).toBe(10)
    expect(await shard.ingest(batchOf(lines(15)))).toEqual({ entries: 5, duplicates: 10 })
    expect([shard.damaged, opened.problems]).toEqual([[], []])
  },
)

test.each(['EMFILE', 'ENFILE', 'ENOMEM'])('an open that fails with %s has the segment when repeated', async (code) => {
  await using opened = await openWithSegment()
  await opened.shard[Symbol.asyncDispose]()
  opened.refuse(code)
  await expect(opened.open()).rejects.toMatchObject({ code })
  opened.refuse(undefined)
  await using again = await opened.open()
  expect(await totalOf(again.shard)).toBe(10)
  expect(again.problems).toEqual([])
})
