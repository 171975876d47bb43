import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Severity } from '../entries/severity-code.ts'
import { search } from '../search/search.ts'
import { crashingAt } from './crash-for-tests.ts'
import type { Shard } from './shard.ts'
import { batchOf, createShardFolder, type Line } from './store-for-tests.ts'

/** Each entry as one word: its source, number and severity. */
const contentOf = async (shard: Shard): Promise<string[]> => {
  const parts = shard.parts()
  try {
    const request = { query: null, filters: {}, limit: 1_000, order: 'oldest', withFacets: false } as const
    const { entries } = await search(parts, request, { domainOf: () => '' })
    return entries.map(({ entry }) => `${entry.origin.sourceId} ${entry.sequence} ${entry.severity}`).toSorted()
  } finally {
    for (const part of parts) part.release()
  }
}
const lines = (sourceId: string, count: number, from = 0): Line[] =>
  Array.from({ length: count }, (_, index) => ({
    text: `line ${from + index}`,
    sequence: from + index + 1,
    sourceId,
    ...(index === 0 && { entryId: `${sourceId}-${from}` }),
  }))

type Step =
  | { kind: 'add'; source: string; from: number }
  | { kind: 'delete'; source: string }
  | { kind: 'grade'; entryId: string; severity: Severity | null }
  | { kind: 'flush' }
  | { kind: 'settle' }
  | { kind: 'expire'; before: number }

const steps: readonly Step[] = [
  { kind: 'add', source: 'host:a:one', from: 0 },
  { kind: 'add', source: 'host:a:two', from: 0 },
  { kind: 'add', source: 'other', from: 0 },
  { kind: 'grade', entryId: 'other-0', severity: 'CRITICAL' },
  { kind: 'flush' },
  { kind: 'add', source: 'host:a:one', from: 10 },
  { kind: 'grade', entryId: 'host:a:one-10', severity: 'WARN' },
  { kind: 'delete', source: 'host:a' },
  { kind: 'add', source: 'host:a:one', from: 0 },
  { kind: 'settle' },
  { kind: 'flush' },
  { kind: 'add', source: 'other', from: 20 },
  { kind: 'flush' },
  { kind: 'add', source: 'gone', from: 0 },
  { kind: 'flush' },
  { kind: 'delete', source: 'gone' },
  { kind: 'settle' },
  { kind: 'expire', before: 4 },
]

/** The expected entries after some steps; the arrival time of entries is the number of their step. */
const expectedAfter = (done: readonly Step[]): string[] => {
  let expected: { source: string; sequence: number; severity: Severity | null; arrived: number }[] = []
  for (const [arrived, step] of done.entries()) {
    if (step.kind === 'add')
      expected.push(
        ...lines(step.source, 10, step.from).map((line) => ({
          source: step.source,
          sequence: line.sequence ?? 0,
          severity: null,
          arrived,
        })),
      )
    if (step.kind === 'delete')
      expected = expected.filter(({ source }) => source !== step.source && !source.startsWith(`${step.source}:`))
    if (step.kind === 'expire') expected = expected.filter((entry) => entry.arrived >= step.before)
    if (step.kind === 'grade')
      for (const entry of expected)
        if (`${entry.source}-${entry.sequence - 1}` === step.entryId) entry.severity = step.severity
  }
  return expected.map(({ source, sequence, severity }) => `${source} ${sequence} ${severity}`).toSorted()
}

const perform = async (shard: Shard, step: Step, arrived: number): Promise<unknown> => {
  if (step.kind === 'add') return shard.ingest(batchOf(lines(step.source, 10, step.from), arrived))
  if (step.kind === 'delete') return shard.deleteSource(step.source)
  if (step.kind === 'grade') return shard.setSeverity(step.entryId, step.severity)
  if (step.kind === 'flush') return shard.flush()
  if (step.kind === 'settle') return shard.settled()
  return shard.rewrite(step)
}

/** Executes the steps until the process crashes; returns how many were acknowledged. */
const liveUntil = async (shard: Shard): Promise<number> => {
  for (const [number, step] of steps.entries()) {
    try {
      await perform(shard, step, number)
    } catch {
      return number
    }
  }
  return steps.length
}

test.each([
  ['right after', true],
  ['right before', false],
])(
  'a process that dies %s any write has done all acknowledged steps and at most one more',
  async (_, isDone) => {
    for (let at = 0; ; at++) {
      await using folder = await createShardFolder()
      const crash = crashingAt(at, isDone)
      const dying = await folder.open({ documents: 25 }, crash.alter)
      const answered = await liveUntil(dying.shard)
      await dying.shard.settled()
      await dying[Symbol.asyncDispose]()
      for (let again = 0; again < 2; again++) {
        await using opened = await folder.open({ documents: 25 })
        const content = await contentOf(opened.shard)
        const possible = [expectedAfter(steps.slice(0, answered)), expectedAfter(steps.slice(0, answered + 1))]
        expect({ at, possible }).toMatchObject({ possible: expect.arrayContaining([content]) })
        await opened.shard.settled()
        expect(await contentOf(opened.shard)).toEqual(content)
        expect(opened.problems).toEqual([])
      }
      if (!crash.hasCrashed()) break
    }
  },
  240_000,
)

test('the bytes of deleted entries and their tombstones are removed in the background', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  const { shard, catalogue } = opened
  await shard.ingest(batchOf([...lines('host:a:one', 10), ...lines('other', 10)]))
  await shard.flush()
  await shard.ingest(batchOf(lines('host:a:two', 10)))
  expect(await shard.deleteSource('host:a')).toBe(20)
  expect(await shard.deleteSource('host:a')).toBe(0)
  expect(await shard.deleteSource('host:a:one')).toBe(0)
  await shard.settled()
  const { segments, amendments } = await catalogue.read()
  expect(segments.map(({ documents }) => documents)).toEqual([10])
  expect(amendments).toEqual({ tombstones: [], overrides: [] })
  expect(await readdir(join(folder.directory, 'files', 'segments'))).toHaveLength(1)
})

test('deleting an entry deletes its severity override: sent again it has its own severity', async () => {
  await using folder = await createShardFolder()
  await using opened = await folder.open()
  const { shard } = opened
  const entry = { text: 'line', sequence: 1, sourceId: 'app', severity: 2 }
  await shard.ingest(batchOf([{ ...entry, entryId: 'it' }]))
  expect(await shard.setSeverity('it', null)).toMatchObject({ severity: null })
  expect(await contentOf(shard)).toEqual(['app 1 null'])
  await shard.deleteSource('app')
  expect(await shard.setSeverity('it', 'WARN')).toBeUndefined()
  expect(await shard.ingest(batchOf([{ ...entry, entryId: 'it' }]))).toEqual({ entries: 1, duplicates: 0 })
  expect(await contentOf(shard)).toEqual(['app 1 ERROR'])
})

test('severity overrides are folded into segments when these are merged, and their rows are deleted', async () => {
  await using folder = await createShardFolder()
  {
    await using opened = await folder.open()
    const { shard, catalogue } = opened
    for (let part = 0; part < 4; part++) {
      await shard.ingest(batchOf(lines('app', 8, part * 8)))
      if (part === 1) await shard.setSeverity('app-8', 'CRITICAL')
      await shard.flush()
    }
    await shard.settled()
    const { segments, amendments } = await catalogue.read()
    expect(segments).toHaveLength(1)
    expect(amendments.overrides).toEqual([])
  }
  await using again = await folder.open()
  expect(await contentOf(again.shard)).toContain('app 9 CRITICAL')
})
