import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceError } from '@trellis/kit/errors'
import { createSerialQueue } from '@trellis/kit/lifecycle'
import { type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import { openStore } from '@trellis/kit/store'
import type { Log } from '@trellis/kit/telemetry'
import { BranchServiceDefinition, type EntryCount } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { loadPseudonymKey } from '../anonymize/pseudonym-key.ts'
import { openUserFormats } from '../formats/user/user-formats.ts'
import { createPressure } from '../ingest/pressure.ts'
import { gleanBatchRpc } from '../ingest/rpc.ts'
import { openPatterns } from '../patterns/use-patterns.ts'
import { amendmentMigration } from '../segments/amendment-store.ts'
import { type CatalogueTables, catalogueMigration, createCatalogue } from '../segments/catalogue-store.ts'
import type { Rewrite } from '../segments/rewrite.ts'
import { shardLimits } from '../segments/shard.ts'
import { tailFrames } from '../tail/frames.ts'
import { createTail } from '../tail/tail.ts'
import { createTemplateStore, type TemplateTables, templateMigration } from '../templates/store.ts'
import { createLogEngine } from '../threads/engine.ts'
import type { BranchConfig } from './config.ts'
import {
  entryTo,
  filtersFrom,
  queryFrom,
  requestFrom,
  resultTo,
  severityOf,
  sourceTo,
  statisticsTo,
  templateQuestionFrom,
} from './wire.ts'

export type BranchNodeOptions = {
  config: BranchConfig
  /** Its own alone: entries, catalogue and the key of pseudonyms. */
  dataDirectory: string
  /** Hears what the branch holds: at its start, and when that has changed, but not more often than every `noticeMilliseconds`. */
  notify: (notice: BranchEvent) => Promise<void>
  noticeMilliseconds?: number
  log: Log
  now?: () => number
}

export type BranchNode = AsyncDisposable & {
  /** Takes batches. Who may send them is for the caller to know. */
  gleanBatch: Handlers<typeof LogsServiceDefinition>['gleanBatch']
  /** What the logs service asks. */
  implementations: Implementation[]
}

const megabyte = 1024 * 1024
const day = 86_400_000
const lastNoticeMilliseconds = 2_000
const expiryMilliseconds = 3_600_000

/**
 * One branch: the embedded engine on a folder of its own. Entries carry its slug and tenant. What arrived longer ago than the retention
 * goes within the hour after.
 */
export const createBranchNode = async (options: BranchNodeOptions): Promise<BranchNode> => {
  const { config, dataDirectory, notify, noticeMilliseconds = 10_000, log, now = Date.now } = options
  await using opened = new AsyncDisposableStack()
  const store = await openStore<CatalogueTables & TemplateTables>({
    dataDirectory,
    name: 'branch',
    migrations: [catalogueMigration, templateMigration(2), amendmentMigration(3)],
    log,
  })
  opened.defer(() => store.close())
  // Before anything is read or tagged. They are those of the logs service, so that entries are the same wherever they are kept.
  const { formatsDirectory, patternsDirectory } = config
  if (formatsDirectory !== undefined) opened.use(await openUserFormats({ directory: formatsDirectory, log }))
  if (patternsDirectory !== undefined) opened.use(await openPatterns({ directory: patternsDirectory, log }))
  const key = await loadPseudonymKey(dataDirectory)
  const engine = opened.use(
    createLogEngine({
      directory: join(dataDirectory, 'logs'),
      catalogue: createCatalogue(store.db),
      templates: createTemplateStore(store.db, now),
      limits: { ...shardLimits, documents: config.segmentEntries, cacheBytes: config.cacheMegabytes * megabyte },
      idleMilliseconds: config.idleSeconds * 1_000,
      onProblem: (problem) => log.error({ problem }, 'logs cannot all be read or written'),
    }),
  )
  const tail = createTail({ engine })

  let changes = 0
  let counted: { changes: number; count: EntryCount } | undefined
  /** What there is; nothing is asked that would wake a thread while nothing has changed. */
  const count = async (): Promise<EntryCount> => {
    if (counted?.changes === changes) return counted.count
    const before = changes
    const { entries, lastArrival } = await engine.holdings()
    const found = { entryCount: entries, lastSeen: lastArrival === null ? null : new Date(lastArrival).toISOString() }
    counted = { changes: before, count: found }
    return found
  }
  let told = -1
  let telling: Promise<void> | undefined
  const tell = async () => {
    if (told === changes) return
    const before = changes
    try {
      await notify({ slug: config.slug, ...(await count()) })
      told = before
    } catch (error) {
      log.warn({ err: error }, 'nobody could be told how many entries there are; it is tried again')
    }
  }

  const serialQueue = createSerialQueue()
  /** One after the other: each goes through all there is. */
  const rewrite = (wanted: Rewrite) => serialQueue.run(() => engine.rewrite(wanted))
  const expire = async () => {
    const { entries } = await rewrite({ kind: 'expire', before: now() - config.retentionDays * day })
    if (entries === 0) return
    changes++
    log.info({ entries, days: config.retentionDays }, 'entries that were kept long enough are gone')
  }
  /** One notice at a time: what is slow to be told is not told twice. */
  const tellOfChange = () => {
    telling ??= tell().finally(() => {
      telling = undefined
    })
    return telling
  }
  const ticking = setInterval(() => void tellOfChange(), noticeMilliseconds)
  const expiring = setInterval(
    () => expire().catch((error: unknown) => log.error({ err: error }, 'old entries could not be removed')),
    expiryMilliseconds,
  )
  opened.defer(async () => {
    clearInterval(ticking)
    clearInterval(expiring)
    await serialQueue.drain()
    // What is being told may be from before the last change. Whoever does not listen now is not waited for.
    const told = tellOfChange().then(tellOfChange)
    await Promise.race([told, sleep(lastNoticeMilliseconds, undefined, { ref: false })])
  })
  void tellOfChange()

  const glean = gleanBatchRpc({
    engine: {
      ...engine,
      ingestPushed: async (...given) => {
        const kept = await engine.ingestPushed(...given).catch((error: unknown) => {
          // Some of it may be kept all the same.
          changes++
          throw error
        })
        if (kept.entries > 0) changes++
        return kept
      },
    },
    pressure: createPressure(config.pushedMegabytes * megabyte),
    config,
    now,
    owner: { branch: config.slug, tenantId: config.tenantId === '' ? null : config.tenantId },
    ...(config.anonymizes && { pseudonymKey: key }),
  })
  const handlers: Handlers<typeof BranchServiceDefinition> = {
    searchBranch: async (request, { signal }) => resultTo(await engine.search(requestFrom(request), signal)),
    countWords: async ({ query }, { signal }) =>
      statisticsTo(await engine.countWords(queryFrom(query ?? { clauses: [], excluded: [] }), signal)),
    findEntry: async ({ entryId }, { signal }) => {
      const entry = await engine.find(entryId, signal)
      if (!entry) throw serviceError('not_found', `There is no entry "${entryId}" in branch "${config.slug}".`)
      return entryTo(entry)
    },
    countBranchTemplates: async (request, { signal }) => ({
      templates: await engine.templates(templateQuestionFrom(request), signal),
    }),
    countBranchSources: async ({ filters }, { signal }) => ({
      sources: (await engine.sources(filtersFrom(filters), signal)).map(sourceTo),
    }),
    deleteBranchSource: async ({ sourceId }, { signal }) => {
      const entries = await engine.deleteSource(sourceId, signal)
      if (entries > 0) changes++
      return { entries }
    },
    setBranchSeverity: async ({ entryId, severity }, { signal }) => {
      const entry = await engine.setSeverity(entryId, severityOf(severity), signal)
      if (!entry) throw serviceError('not_found', `There is no entry "${entryId}" in branch "${config.slug}".`)
      return entryTo(entry)
    },
    tailBranch: (request, { signal }) => tailFrames(tail, request, signal),
    countEntries: count,
    anonymizeEntries: async () => {
      const { entries, addresses, usernames } = await rewrite({ kind: 'anonymize', key })
      return { entriesChanged: entries, addresses, usernames }
    },
  }
  const stack = opened.move()
  return {
    gleanBatch: glean,
    implementations: [implementation(BranchServiceDefinition, handlers)],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
