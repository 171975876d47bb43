import { join } from 'node:path'
import { serialize } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { openDirectoryFiles } from '@trellis/kit/files'
import { collectGarbage, collectOnce, createGrowthCheck } from '@trellis/kit/memory'
import type { Severity } from '../entries/severity-code.ts'
import { domainOf, usePatterns } from '../patterns/active-patterns.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { createPriorityScheduler, maxIngestDelayMilliseconds } from '../priority-scheduler.ts'
import { releaseBuffers } from '../release-buffers.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import type { SearchRequest, SearchResult } from '../search/search.ts'
import { countWords } from '../search/search.ts'
import { openFileAppendLog } from '../segments/append-log.ts'
import { type BatchAnalysis, transferablesOf } from '../segments/batch-analysis.ts'
import { countSources } from '../segments/count-sources.ts'
import { createFreeSpaceCheck } from '../segments/disk-full.ts'
import { findEntry } from '../segments/find-entry.ts'
import type { MemoryIndex } from '../segments/memory-index.ts'
import type { Part } from '../segments/part.ts'
import type { Freed, MaintenanceRequest } from '../segments/retention.ts'
import type { Rewrite } from '../segments/rewrite.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { ShardClosed } from '../segments/shard/closable-serial-queue.ts'
import { openShard, type Shard } from '../segments/shard.ts'
import { countTemplates, type TemplateRequest, templatesInUse } from '../templates/count-templates.ts'
import { searchByTemplate } from '../templates/search-by-template.ts'
import { createTemplates } from '../templates/templates.ts'
import { createCalls, type Port } from './calls.ts'
import type { Holdings, IndexHostCalls, IndexOptions } from './index-calls.ts'
import { packEntries, transferablesOfEntries } from './packed-entries.ts'
import { createReopening } from './reopening.ts'
import { abortCheckOf } from './shared-abort.ts'

/** The thread that stores and searches entries. It opens its shard with the first call. */
if (!parentPort) throw new Error('This module must run as a worker thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}

const { patterns, directory, limits, reservedBytes } = workerData as IndexOptions
usePatterns(patterns)
const checkFreeSpace = createFreeSpaceCheck(directory, reservedBytes, (problem) => void host.call('damaged', [problem]))
/** Maximum number of new entries of a batch that are sent to followers. */
const maxNotified = 1_000
/** V8 mostly collects earlier because of memory outside its heap; where it did not, the heap grew to twice its live size. */
const maxGrowth = 16 * 1024 * 1024
const collectIfGrown = createGrowthCheck(maxGrowth, collectOnce)
let isFollowed = false

const templates = createTemplates({
  store: {
    changes: (after) => host.call('templateChanges', [after]),
    save: (changed) => host.call('saveTemplates', [changed]),
    clear: () => host.call('clearTemplates', []),
    prune: (live) => host.call('pruneTemplates', [live]),
  },
  onProblem: (problem) => void host.call('damaged', [problem]),
})

const open = async (): Promise<Shard> =>
  openShard({
    templates,
    files: await openDirectoryFiles(join(directory, 'files'), { blocking: true }),
    log: await openFileAppendLog({ directory: join(directory, 'log') }),
    catalogue: {
      read: () => host.call('readCatalogue', []),
      change: (change) => host.call('changeCatalogue', [change]),
    },
    enricher: createEnricher(),
    limits,
    onDamage: (problem) => void host.call('damaged', [problem]),
    onSetAside: (problem) => void host.call('setAside', [problem]),
    onSourceDeleted: (source) => {
      if (isFollowed) void host.call('deleted', [source])
    },
  })
const shards = createReopening({ open, isClosed: (error) => error instanceof ShardClosed })

/** Excludes a damaged segment, reports it and repeats the search over the others. */
const onParts = async <Result>(work: (parts: readonly Part[]) => Promise<Result>): Promise<Result> => {
  for (;;) {
    const opened = await shards.get()
    const parts = opened.parts()
    try {
      return await work(parts)
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      // The shard that replaced a failed one may have removed a file that this one still read.
      if (opened.failure === undefined) opened.exclude(error)
    } finally {
      for (const part of parts) part.release()
    }
  }
}

const scheduler = createPriorityScheduler()

const searchParts = (request: SearchRequest, left?: Int32Array): Promise<SearchResult> =>
  scheduler.run(request.priority, (rest) =>
    onParts((parts) => searchByTemplate(parts, request, templates, { domainOf, signal: abortCheckOf(left), rest })),
  )

const notifyFollowers = (index: MemoryIndex, from: number, to: number) => {
  if (!isFollowed || from === to) return
  const first = Math.max(from, to - maxNotified)
  const packed = packEntries(index, [first, to], templates.resolve)
  void host.call('arrived', [packed, first - from], transferablesOfEntries(packed))
}

const pruneTemplates = async (): Promise<void> => templates.prune(await onParts(templatesInUse))

const host = createCalls<IndexHostCalls>(port, {
  ingest: async (batch: ArrayBuffer, analysis?: BatchAnalysis) => {
    await shards.get()
    await scheduler.afterInteractive(maxIngestDelayMilliseconds)
    await checkFreeSpace()
    const result = await shards.use((opened) => opened.ingest(batch, { analysis, onNew: notifyFollowers }))
    releaseBuffers([batch, ...(analysis ? transferablesOf(analysis) : [])])
    collectIfGrown()
    return result
  },
  search: searchParts,
  searchSerialized: async (request: SearchRequest, left?: Int32Array) => serialize(await searchParts(request, left)),
  countWords: (query: Query, left?: Int32Array) => onParts((parts) => countWords(parts, query, abortCheckOf(left))),
  find: (entryId: string, left?: Int32Array) =>
    onParts(async (parts) => {
      const entry = await findEntry(parts, entryId, abortCheckOf(left))
      return entry && templates.present(entry)
    }),
  templates: async (question: TemplateRequest, left?: Int32Array) => {
    await templates.catchUp()
    return scheduler.run(question.priority, (rest) =>
      onParts((parts) => countTemplates(parts, question, templates, { signal: abortCheckOf(left), rest })),
    )
  },
  sources: (filters: Filters, left?: Int32Array) =>
    onParts(async (parts) => {
      abortCheckOf(left)?.throwIfAborted()
      return countSources(parts, filters)
    }),
  follow: (hasFollowers: boolean) => {
    isFollowed = hasFollowers
  },
  flush: () => shards.use((opened) => opened.flush()),
  deleteSource: async (source: string, left?: Int32Array) => {
    const entries = await shards.use((opened) => opened.deleteSource(source, abortCheckOf(left)))
    if (entries > 0) await pruneTemplates()
    return entries
  },
  maintain: async (request: MaintenanceRequest): Promise<Freed> => {
    const freed = await shards.use((opened) => opened.maintain(request))
    if (request.isThorough || freed.entries > 0) await pruneTemplates()
    return freed
  },
  setSeverity: (entryId: string, severity: Severity | null, left?: Int32Array) =>
    shards.use((opened) => opened.setSeverity(entryId, severity, abortCheckOf(left))),
  rewrite: async (rewrite: Rewrite) => {
    const rewritten = await shards.use((opened) => opened.rewrite(rewrite))
    if (rewrite.kind === 'anonymize') await templates.clear()
    return rewritten
  },
  holdings: () =>
    onParts(async (parts) => {
      const arrivals = await Promise.all(parts.map((part) => part.ingestTimes()))
      return {
        entries: parts.flatMap(({ streams }) => streams).reduce((sum, { entries }) => sum + entries, 0),
        lastArrival: arrivals.length === 0 ? null : Math.max(...arrivals.map(({ last }) => last)),
      } satisfies Holdings
    }),
  rest: async (processGoesOn: boolean) => {
    await shards.end()
    // Collected while the thread still runs: the allocator does not return memory that is freed by ending the thread.
    if (processGoesOn) collectGarbage()
  },
})
