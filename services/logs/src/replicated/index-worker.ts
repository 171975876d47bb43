import { serialize } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { openFiles } from '@trellis/kit/files'
import { collectGarbage } from '@trellis/kit/memory'
import { domainOf, usePatterns } from '../patterns/active-patterns.ts'
import { createEnricher } from '../patterns/enricher.ts'
import { createPriorityScheduler, maxIngestDelayMilliseconds } from '../priority-scheduler.ts'
import type { Filters } from '../search/filters.ts'
import type { Query } from '../search/query.ts'
import { countWords, type SearchRequest, type SearchResult } from '../search/search.ts'
import { type BatchAnalysis, createBatchAnalyser } from '../segments/batch-analysis.ts'
import { countSources } from '../segments/count-sources.ts'
import { findEntry } from '../segments/find-entry.ts'
import type { Part } from '../segments/part.ts'
import type { Freed, MaintenanceRequest } from '../segments/retention.ts'
import { SegmentCorrupt } from '../segments/segment-layout.ts'
import { countTemplates, type TemplateRequest, templatesInUse } from '../templates/count-templates.ts'
import { searchByTemplate } from '../templates/search-by-template.ts'
import { createTemplates } from '../templates/templates.ts'
import { createCalls, type Port } from '../threads/calls.ts'
import { abortCheckOf } from '../threads/shared-abort.ts'
import { arrivalOf, replayAfter } from './arrivals.ts'
import type { IndexHostCalls, IndexThreadOptions, Sent } from './index-calls.ts'
import { createIndexer } from './indexer.ts'
import { openLocalSegments } from './local-segments.ts'
import { createMerger } from './merger.ts'
import { createMirror, type Mirrored } from './mirror.ts'
import { createSegmentSource } from './segment-source.ts'

/** The thread of a replica that builds segments and searches those of all replicas. It opens the files with the first call. */
if (!parentPort) throw new Error('This module must run as a worker thread.')
const parent = parentPort
const port: Port = {
  send: (message, transfer) => parent.postMessage(message, transfer),
  receive: (listener) => void parent.on('message', listener),
}

const { patterns, files: location, local, limits } = workerData as IndexThreadOptions
usePatterns(patterns)
let isFollowed = false

const damaged = (problem: string) => void host.call('damaged', [problem])
const changed = () => void host.call('changed', [])

let reporting: Promise<void> = Promise.resolve()
const report = async (fresh: readonly Mirrored[]) => {
  const { mirror } = await opened()
  for (const mirrored of fresh) {
    const arrival = await arrivalOf(mirror.partOf(mirrored), mirrored.row.version)
    await host.call('arrived', [{ ...arrival, entries: arrival.entries.map(templates.present) }])
  }
}
const reportInOrder = (fresh: readonly Mirrored[]) => {
  const held = fresh.map(({ segment }) => segment)
  for (const segment of held) segment.hold()
  reporting = reporting
    .then(() => report(fresh))
    .catch((error: unknown) => damaged(`Followers could not be notified of new entries: ${String(error)}`))
    .finally(() => {
      for (const segment of held) segment.release()
    })
}

const templates = createTemplates({
  store: {
    changes: (after) => host.call('templateChanges', [after]),
    save: (changed) => host.call('saveTemplates', [changed]),
    clear: () => host.call('clearTemplates', []),
    prune: (live) => host.call('pruneTemplates', [live]),
  },
  onProblem: damaged,
})

const open = async () => {
  await using opening = new AsyncDisposableStack()
  const files = opening.use(await openFiles(location, { recover: false }))
  const cache = local && (await openLocalSegments(local.directory, local.bytes))
  const source = createSegmentSource({
    files,
    local: cache,
    // An object store on the bus reads whole objects.
    readsRanges: location.kind === 's3',
    onProblem: damaged,
  })
  const analyse = createBatchAnalyser(createEnricher())
  const catalogue = { changes: (after: number | undefined) => host.call('changes', [after]) }
  const mirror = createMirror({
    catalogue,
    source,
    cacheBytes: limits.cacheBytes,
    onDamage: damaged,
    onFresh: reportInOrder,
    reportsFresh: () => isFollowed,
  })
  const shared = { mirror, source, analyse, templates, limits }
  const indexer = createIndexer({
    ...shared,
    catalogue: { commit: (change) => host.call('commit', [change]) },
    onCommitted: changed,
  })
  const merger = createMerger({
    ...shared,
    catalogue: {
      merge: (change) => host.call('mergeSegments', [change]),
      expireTombstones: (tombstones) => host.call('expireTombstones', [tombstones]),
    },
    mayMerge: () => host.call('mayMerge', []),
    onMerged: changed,
    onProblem: damaged,
  })
  opening.move()
  return { files, catalogue, mirror, indexer, merger }
}
type Opened = Awaited<ReturnType<typeof open>>
let opening: Promise<Opened> | undefined
/** A failed open is retried by the next call. */
const opened = (): Promise<Opened> => {
  opening ??= open().catch((error: unknown) => {
    opening = undefined
    throw error
  })
  return opening
}

/** Searches all entries committed before the call. A segment that cannot be read is repaired or excluded, and the search is repeated. */
const onParts = async <Result>(left: Int32Array | undefined, work: (parts: readonly Part[]) => Promise<Result>) => {
  const { mirror } = await opened()
  for (;;) {
    abortCheckOf(left)?.throwIfAborted()
    await mirror.refresh()
    const parts = mirror.hold()
    try {
      return await work(parts)
    } catch (error) {
      if (!(error instanceof SegmentCorrupt)) throw error
      await mirror.repair(error)
    } finally {
      for (const part of parts) part.release()
    }
  }
}

const pruneTemplates = async (): Promise<void> => templates.prune(await onParts(undefined, templatesInUse))

const scheduler = createPriorityScheduler()

const searchParts = (request: SearchRequest, left?: Int32Array): Promise<SearchResult> =>
  scheduler.run(request.priority, (rest) =>
    onParts(left, (parts) =>
      searchByTemplate(parts, request, templates, { domainOf, signal: abortCheckOf(left), rest }),
    ),
  )

const host = createCalls<IndexHostCalls>(port, {
  take: async (message: Sent, batch: ArrayBuffer, analysis?: BatchAnalysis) => {
    const { indexer, merger } = await opened()
    await scheduler.afterInteractive(maxIngestDelayMilliseconds)
    merger.busy()
    return indexer.take(message, batch, analysis)
  },
  refresh: async () => (await opened()).mirror.refresh(),
  search: searchParts,
  searchSerialized: async (request: SearchRequest, left?: Int32Array) => serialize(await searchParts(request, left)),
  countWords: (query: Query, left?: Int32Array) =>
    onParts(left, (parts) => countWords(parts, query, abortCheckOf(left))),
  find: (entryId: string, left?: Int32Array) =>
    onParts(left, async (parts) => {
      const entry = await findEntry(parts, entryId, abortCheckOf(left))
      return entry && templates.present(entry)
    }),
  templates: async (question: TemplateRequest, left?: Int32Array) => {
    await templates.catchUp()
    return scheduler.run(question.priority, (rest) =>
      onParts(left, (parts) => countTemplates(parts, question, templates, { signal: abortCheckOf(left), rest })),
    )
  },
  sources: (filters: Filters, left?: Int32Array) => onParts(left, async (parts) => countSources(parts, filters)),
  follow: async (hasFollowers: boolean) => {
    // Entries committed before this call are history; later ones are reported.
    if (hasFollowers) await (await opened()).mirror.refresh()
    isFollowed = hasFollowers
  },
  version: async (): Promise<number> => {
    const { mirror } = await opened()
    await mirror.refresh()
    return mirror.version ?? 0
  },
  replay: async (after: number) => {
    const { mirror, catalogue } = await opened()
    return replayAfter(after, catalogue, mirror)
  },
  maintain: async (request: MaintenanceRequest): Promise<Freed> => {
    const freed = await (await opened()).merger.maintain(request)
    if (request.isThorough || freed.entries > 0) await pruneTemplates()
    return freed
  },
  pruneTemplates,
  merge: async () => (await opened()).merger.run(),
  settled: async () => (await opened()).indexer.settled(),
  rest: async (processGoesOn: boolean) => {
    const ending = await opening?.catch(() => undefined)
    opening = undefined
    await ending?.indexer.settled()
    await reporting
    await ending?.files[Symbol.asyncDispose]()
    if (processGoesOn) collectGarbage()
  },
})
