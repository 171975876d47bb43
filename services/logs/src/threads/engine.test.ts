import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openStore } from '@trellis/kit/store'
import { modulePath } from '@trellis/test/support/module-path'
import { expect, test } from 'vitest'
import { parseQuery } from '../search/query.ts'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from '../segments/catalogue-store.ts'
import { createLogEngine } from './engine.ts'
import { chunkOf, linesInAll, totalChunks } from './synthetic-file-for-tests.ts'

const smallLimits = { documents: 8_192, textBytes: 4 * 1024 * 1024, cacheBytes: 8 * 1024 * 1024 }

const openIn = async (directory: string, idleMilliseconds = 0, limits = smallLimits) => {
  const problems: string[] = []
  const store = await openStore<CatalogueTables>({
    name: 'logs',
    dataDirectory: directory,
    migrations: catalogueMigrations,
  })
  const engine = createLogEngine({
    directory,
    catalogue: createCatalogue(store.db),
    limits,
    idleMilliseconds,
    onProblem: (problem) => problems.push(problem),
  })
  return {
    engine,
    problems,
    upload: async () => {
      const file = await engine.ingestFile({ source: { sourceId: 'made', branch: null, tenantId: null }, reference: 0 })
      for (let chunk = 0; chunk < totalChunks; chunk++) await file.push(chunkOf(chunk))
      return file.end()
    },
    count: async (q: string) =>
      (await engine.search({ query: parseQuery(q), filters: {}, limit: 10, order: 'time', withFacets: false })).total,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}
const withFolder = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-engine-'))
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}

test('an engine killed during an upload has all acknowledged entries, and the upload can be repeated', async () => {
  await using folder = await withFolder()
  const victim = await modulePath('services/logs/src/threads/kill-victim.ts')
  const child = spawn(process.execPath, [victim, folder.directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let acknowledged = 0
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    if (acknowledged > 0) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  expect(acknowledged).toBeGreaterThan(0)
  await using opened = await openIn(folder.directory)
  const stored = await opened.count('made')
  expect(stored).toBeGreaterThanOrEqual(acknowledged)
  expect((await opened.upload()).counts).toEqual({
    lines: linesInAll,
    entries: linesInAll - stored,
    duplicates: stored,
    rejected: 0,
    multiline_joined: 0,
  })
  expect(await opened.count('made')).toBe(linesInAll)
  expect(await opened.count(`n${linesInAll - 1}`)).toBe(1)
  expect(opened.problems).toEqual([])
})

test('concurrent uploads stay separate, and a search meanwhile answers', async () => {
  await using folder = await withFolder()
  await using opened = await openIn(folder.directory)
  const other = await opened.engine.ingestFile({
    source: { sourceId: 'other', branch: null, tenantId: null },
    reference: 0,
  })
  const first = opened.upload()
  await other.push(chunkOf(0))
  await opened.count('line')
  const [one, two] = await Promise.all([first, other.end()])
  expect(one.counts.entries).toBe(linesInAll)
  expect(two.counts.entries).toBeGreaterThan(900)
  expect((await opened.engine.sources({})).map(({ sourceId, entries }) => [sourceId, entries]).toSorted()).toEqual([
    ['made', linesInAll],
    ['other', two.counts.entries],
  ])
})

test('idle threads end without losing anything', async () => {
  await using folder = await withFolder()
  await using opened = await openIn(folder.directory, 1)
  await opened.upload()
  for (let round = 0; round < 3; round++) {
    expect(await opened.count('made')).toBe(linesInAll)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(opened.problems).toEqual([])
})

test('a search whose caller aborts rejects with the abort reason, and other searches continue', async () => {
  await using folder = await withFolder()
  await using opened = await openIn(folder.directory)
  await opened.upload()
  const request = { query: parseQuery('made'), filters: {}, limit: 10, order: 'relevance', withFacets: true } as const
  const leaving = new AbortController()
  const left = opened.engine.search(request, leaving.signal)
  const stayed = opened.engine.search(request, new AbortController().signal)
  leaving.abort(new Error('the reader left'))
  await expect(left).rejects.toThrow('the reader left')
  expect((await stayed).total).toBe(linesInAll)
  await expect(opened.engine.search(request, leaving.signal)).rejects.toThrow('the reader left')
  expect(opened.problems).toEqual([])
})

test('a segment that is damaged while in use is reported, and the thread continues with the others', async () => {
  await using folder = await withFolder()
  // Without a cache every search reads the file.
  await using opened = await openIn(folder.directory, 0, { ...smallLimits, cacheBytes: 0 })
  await opened.upload()
  await opened.engine.flush()
  expect(await opened.count('made')).toBe(linesInAll)
  const segments = join(folder.directory, 'files', 'segments')
  const [victim = ''] = (await readdir(segments)).toSorted()
  const path = join(segments, victim)
  await writeFile(
    path,
    (await readFile(path)).map((byte, index) => (index % 997 === 0 ? byte ^ 1 : byte)),
  )
  const left = await opened.count('made')
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(linesInAll)
  expect(await opened.count('made')).toBe(left)
  expect(opened.problems).toEqual([expect.stringContaining(victim)])
})
