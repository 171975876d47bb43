import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openStore } from '@trellis/kit/store'
import { localFilesOf } from '../local-files/local-files-for-tests.ts'
import type { SharedCatalogueTables } from '../replicated/shared-catalogue-tables.ts'
import { logsMigrations } from '../schemas.ts'
import { type CatalogueTables, createCatalogue } from '../segments/catalogue-store.ts'
import { createLogEngine } from '../threads/engine.ts'
import { type CheckpointTables, createCheckpoints } from './checkpoint-store.ts'
import { createChunkWriter } from './chunk-writer.ts'
import { createFileCollector } from './files/file-collector.ts'
import { isProblem, readSource } from './read-source.ts'
import type { LocalFileEntry } from './source-entry.ts'

/** A source as an entry of a sources file describes it. */
export const fileSource = (fields: Record<string, unknown>): LocalFileEntry => {
  const source = readSource({ host: 'attic', ...fields })
  if (isProblem(source) || source.gleanType !== 'file') throw new TypeError('This is not a source of files.')
  return source
}

/** An engine and checkpoints in a folder, and a collector of files that stores as a run does. `ahead` moves the clock, in milliseconds. */
export const openCollecting = async (directory: string) => {
  const store = await openStore<CatalogueTables & SharedCatalogueTables & CheckpointTables>({
    name: 'logs',
    dataDirectory: directory,
    migrations: logsMigrations,
  })
  const engine = createLogEngine({
    directory: join(directory, 'engine'),
    catalogue: createCatalogue(store.db),
    idleMilliseconds: 0,
    onProblem: (problem) => {
      throw new Error(problem)
    },
  })
  let ahead = 60_000
  let onRead = () => {}
  const now = () => {
    onRead()
    return Date.now() + ahead
  }
  const collector = createFileCollector({
    localFiles: localFilesOf([dirname(directory)]),
    maxExpandedBytes: 64 * 1024 * 1024,
    now,
  })
  const checkpointsOf = (source: Pick<LocalFileEntry, 'id'>) =>
    createCheckpoints({ db: store.db, source: source.id, now })
  return {
    store,
    engine,
    collector,
    checkpointsOf,
    /** Lets files appear older by this time; a minute by default. */
    setAhead: (milliseconds: number, whenRead = () => {}) => {
      ahead = milliseconds
      onRead = whenRead
    },
    glean: async (source: LocalFileEntry, { force = false, signal = new AbortController().signal } = {}) => {
      const problems: string[] = []
      const checkpoints = checkpointsOf(source)
      const writer = createChunkWriter({ engine, source, checkpoints })
      const chunks = collector.collect({
        source,
        checkpoints,
        force,
        signal,
        onProblem: (problem) => problems.push(problem),
      })
      for await (const chunk of chunks) await writer.take(chunk)
      await writer.finish(!signal.aborted)
      const { counts, bytes } = writer.result()
      return { ...counts, bytes, problems }
    },
    /** The texts of all stored entries of a source, oldest first. */
    texts: async (source?: string): Promise<string[]> => {
      const request = {
        query: null,
        filters: source === undefined ? {} : { source },
        order: 'time',
        withFacets: false,
      } as const
      const { entries } = await engine.search({ ...request, limit: 1_000_000 })
      return entries.map(({ entry }) => entry.text).toReversed()
    },
    entries: async () =>
      (await engine.search({ query: null, filters: {}, order: 'time', withFacets: false, limit: 100_000 })).entries.map(
        ({ entry }) => entry,
      ),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

/** Opens it in a temporary folder, which is removed with it. */
export const withCollecting = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-collect-'))
  const opened = await openCollecting(join(directory, 'data'))
  return {
    ...opened,
    directory,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
