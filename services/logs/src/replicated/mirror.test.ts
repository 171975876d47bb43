import { openFiles } from '@trellis/kit/files'
import { expect, test } from 'vitest'
import { batchOf } from '../segments/store-for-tests.ts'
import { createMirror } from './mirror.ts'
import { numbered } from './numbered-lines-for-tests.ts'
import { createKeyValue } from './replicas-for-tests.ts'
import { createSegmentSource } from './segment-source.ts'

/** A mirror of the catalogue of a replica that has committed `segments` segments of ten entries. */
const createMirrored = async (segments: number, retryMilliseconds: number) => {
  await using opened = new AsyncDisposableStack()
  const dependencies = opened.use(await createKeyValue())
  const { engine, catalogue } = opened.use(await dependencies.open())
  for (let number = 0; number < segments; number++) await engine.ingest(batchOf(numbered(10, number * 10)))
  const files = opened.use(await openFiles(dependencies.shared.files, { recover: false }))
  const problems: string[] = []
  const mirror = createMirror({
    catalogue,
    source: createSegmentSource({ files, onProblem: (problem) => problems.push(problem) }),
    cacheBytes: 1_000_000,
    onDamage: (problem) => problems.push(problem),
    onFresh: () => undefined,
    reportsFresh: () => false,
    retryMilliseconds,
  })
  const stack = opened.move()
  return { mirror, files, catalogue, engine, problems, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test.each([
  ['is searched again after the retry interval', 0, 3],
  ['stays excluded until the retry interval ends', 3_600_000, 2],
])('a segment whose file was restored %s', async (_, retryMilliseconds, expected) => {
  await using mirrored = await createMirrored(3, retryMilliseconds)
  const { mirror, files, catalogue, problems } = mirrored
  const [first] = (await catalogue.changes(undefined))?.added ?? []
  if (!first) throw new Error('There are three.')
  const content = await files.readRange(first.key, { start: 0, end: first.bytes })
  await files.remove(first.key)
  for (let round = 0; round < 3; round++) await mirror.refresh()
  expect(mirror.segments.length).toBe(2)
  expect(problems).toEqual([expect.stringContaining(first.key)])
  await files.write(first.key, content.subarray(0, -1))
  await mirror.refresh()
  expect(mirror.segments.length).toBe(2)
  await files.write(first.key, content)
  await mirror.refresh()
  expect(mirror.segments.map(({ row }) => row.version)).toEqual([1, 2, 3].slice(-expected))
  expect(problems.length).toBe(1)
})

test('of concurrent refreshes the first runs at once, and all others share the next one', async () => {
  await using mirrored = await createMirrored(1, 0)
  const { mirror, engine } = mirrored
  const refreshes = Array.from({ length: 5 }, () => mirror.refresh())
  expect(new Set(refreshes).size).toBe(2)
  await Promise.all(refreshes)
  expect(mirror.version).toBe(1)
  await engine.ingest(batchOf(numbered(10, 1_000)))
  await Promise.all(Array.from({ length: 5 }, () => mirror.refresh()))
  expect(mirror.version).toBe(2)
})
