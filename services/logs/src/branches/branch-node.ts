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
  /** Belongs to this branch alone: entries, catalogue and the key of pseudonyms. */
  dataDirectory: string
  /** Receives the number of entries: at the start, and after changes, but at most once per `noticeMilliseconds`. */
  notify: (notice: BranchEvent) => Promise<void>
  noticeMilliseconds?: number
  log: Log
  now?: () => number
}

export type BranchNode = AsyncDisposable & {
  /** Receives batches. The caller authenticates the sender. */
  gleanBatch: Handlers<typeof LogsServiceDefinition>['gleanBatch']
  /** The service that the logs service calls. */
  implementations: Implementation[]
}

const megabyte = 1024 * 1024
const day = 86_400_000
const lastNoticeMilliseconds = 2_000
const expiryMilliseconds = 3_600_000

/**
 * One branch: the embedded engine on a folder of its own. Entries carry its slug and tenant. Entries older than the retention, counted from
 * their arrival, are deleted within an hour.
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
  // Loaded before anything is read or tagged. They are those of the logs service, so that entries do not depend on where they are stored.
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
  /** Counts the entries. The cached count is used while nothing has changed, so that no thread is woken. */
  const count = async (): Promise<EntryCount> => {
    if (counted?.changes === changes) return counted.count
    const before = changes
    const { entries, lastArrival } = await engine.holdings()
    const found = { entryCount: entries, lastSeen: lastArrival === null ? null : new Date(lastArrival).toISOString() }
    counted = { changes: before, count: found }
    return found
  }
  let notified = -1
  let notifying: Promise<void> | undefined
  const notifyOfCount = async () => {
    if (notified === changes) return
    const before = changes
    try {
      await notify({ slug: config.slug, ...(await count()) })
      notified = before
    } catch (error) {
      log.warn({ err: error }, 'the number of entries could not be reported; retrying')
    }
  }

  const serialQueue = createSerialQueue()
  /** Rewrites run one after the other, because each reads all entries. */
  const rewrite = (task: Rewrite) => serialQueue.run(() => engine.rewrite(task))
  const expire = async () => {
    const { entries } = await rewrite({ kind: 'expire', before: now() - config.retentionDays * day })
    if (entries === 0) return
    changes++
    log.info({ entries, days: config.retentionDays }, 'entries past their retention were deleted')
  }
  /** Runs one notification at a time: calls during a slow one share it. */
  const notifyOfChange = () => {
    notifying ??= notifyOfCount().finally(() => {
      notifying = undefined
    })
    return notifying
  }
  const ticking = setInterval(() => void notifyOfChange(), noticeMilliseconds)
  const expiring = setInterval(
    () => expire().catch((error: unknown) => log.error({ err: error }, 'expired entries could not be deleted')),
    expiryMilliseconds,
  )
  opened.defer(async () => {
    clearInterval(ticking)
    clearInterval(expiring)
    await serialQueue.drain()
    // The notification in progress may precede the last change, so another follows. An unresponsive receiver is not waited for.
    const sent = notifyOfChange().then(notifyOfChange)
    await Promise.race([sent, sleep(lastNoticeMilliseconds, undefined, { ref: false })])
  })
  void notifyOfChange()

  const glean = gleanBatchRpc({
    engine: {
      ...engine,
      ingestPushed: async (...parameters) => {
        const result = await engine.ingestPushed(...parameters).catch((error: unknown) => {
          // Some of the entries may be stored nevertheless.
          changes++
          throw error
        })
        if (result.entries > 0) changes++
        return result
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
      // A reader that resumes must not receive what the entries contained before.
      if (entries > 0) tail.clear()
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
