import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Files, openDirectoryFiles } from '@trellis/kit/files'
import { openStore } from '@trellis/kit/store'
import { createBatchBuilder } from '../entries/batch-builder.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { type AppendLog, openFileAppendLog } from './append-log.ts'
import type { Blocks } from './blocks.ts'
import type { Catalogue } from './catalogue.ts'
import { type CatalogueTables, catalogueMigrations, createCatalogue } from './catalogue-store.ts'
import type { Enricher } from './enricher.ts'
import { scribbledBlocks } from './scribbled-blocks-for-tests.ts'
import { openShard, type Shard, type ShardLimits, type ShardOptions } from './shard.ts'

/** A shard in a temporary folder; opening it again simulates a restart. It uses real files and a real database. */
export type ShardFolder = AsyncDisposable & {
  directory: string
  open: (limits?: Partial<ShardLimits>, alter?: (foundations: Foundations) => Foundations) => Promise<OpenedShard>
}
export type OpenedShard = AsyncDisposable & { shard: Shard; problems: string[]; catalogue: Catalogue; files: Files }

/** The dependencies of a shard, which a test may change. */
export type Foundations = {
  files: Files
  log: AppendLog
  catalogue: Catalogue
  templates?: ShardOptions['templates']
  enricher: Enricher
  blocks: Blocks
}

export const openShardIn = async (
  directory: string,
  limits: Partial<ShardLimits> = {},
  alter: (foundations: Foundations) => Foundations = (foundations) => foundations,
): Promise<OpenedShard> => {
  await using stack = new AsyncDisposableStack()
  const store = await openStore<CatalogueTables>({
    name: 'logs',
    dataDirectory: directory,
    migrations: catalogueMigrations,
  })
  stack.defer(() => store.close())
  const { files, log, catalogue, templates, enricher, blocks } = alter({
    files: await openDirectoryFiles(join(directory, 'files'), { blocking: true }),
    log: await openFileAppendLog({ directory: join(directory, 'log'), fileBytes: 4_096 }),
    catalogue: createCatalogue(store.db),
    enricher: createEnricher(),
    blocks: scribbledBlocks,
  })
  const problems: string[] = []
  const shard = await openShard({
    files,
    log,
    catalogue,
    ...(templates && { templates }),
    enricher,
    blocks,
    limits: { documents: 64, textBytes: 64 * 1024, cacheBytes: 256 * 1024, ...limits },
    onDamage: (problem) => problems.push(problem),
  })
  stack.use(shard)
  const opened = stack.move()
  return { shard, problems, catalogue, files, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

export const createShardFolder = async (): Promise<ShardFolder> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-logs-'))
  return {
    directory,
    open: (limits, alter) => openShardIn(directory, limits, alter),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

export type Line = {
  text: string
  sequence?: number
  time?: number
  sourceId?: string
  severity?: number
  entryId?: string
}

/** A batch as a parser would encode it. */
export const batchOf = (lines: readonly Line[], ingestTime = 1_700_000_000_000): ArrayBuffer => {
  const builder = createBatchBuilder(Math.max(1, lines.length), 1024)
  lines.forEach((line, index) => {
    builder.add({
      origin: { sourceId: line.sourceId ?? 'test', branch: null, tenantId: null, format: 'plain' },
      sequence: line.sequence ?? index + 1,
      time: line.time ?? Number.NaN,
      severity: line.severity,
      repeatCount: 1,
      text: line.text,
      truncated: false,
      outOfOrder: false,
      ...(line.entryId !== undefined && { sender: { entryId: line.entryId } }),
    })
  })
  return builder.finish(ingestTime)
}
