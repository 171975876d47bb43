import { expect } from 'vitest'
import { countSources } from '../segments/count-sources.ts'
import type { Shard } from '../segments/shard.ts'
import { batchOf, createShardFolder } from '../segments/store-for-tests.ts'
import { type Filters, isOfSource } from './filters.ts'
import { everyFilters, orders, type Step } from './histories-for-tests.ts'
import { idOf, passes, type Stored, searchModel, severityOf } from './naive-engine-for-tests.ts'
import { parseQuery } from './query.ts'
import { type SearchRequest, type SearchResult, search } from './search.ts'

const searchShard = async (shard: Shard, request: SearchRequest): Promise<SearchResult> => {
  const parts = shard.parts()
  try {
    return await search(parts, request, { domainOf: () => '', leaders: 8 })
  } finally {
    for (const part of parts) part.release()
  }
}

const compare = async (shard: Shard, stored: readonly Stored[], request: SearchRequest) => {
  const expected = searchModel(stored, request)
  const found: string[] = []
  let after = request.after
  let total = -1
  for (;;) {
    const page = await searchShard(shard, { ...request, ...(after && { after }) })
    total = page.total
    expect(page.totalIsExact).toBe(true)
    expect(page.histogram?.counts.reduce((sum, count) => sum + count, 0) ?? 0).toBe(total)
    expect(page.facets?.source.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    for (const severity of ['CRITICAL', 'ERROR', 'WARN', null] as const) {
      const counted = page.facets?.severity.find(({ value }) => value === severity)?.count ?? 0
      expect(counted).toBe(expected.filter(({ entry }) => entry.severity === severity).length)
    }
    for (const { entry, score } of page.entries) found.push(`${entry.sequence} ${score.toFixed(9)} ${entry.severity}`)
    if (!page.next) break
    after = page.next
  }
  expect(total).toBe(expected.length)
  expect(found).toEqual(expected.map(({ entry, score }) => `${entry.sequence} ${score.toFixed(9)} ${entry.severity}`))
}

/** Compares the engine's counts of sources with those of the array. */
const compareSources = async (shard: Shard, stored: readonly Stored[], filters: Filters) => {
  const parts = shard.parts()
  try {
    const counts = await countSources(parts, filters)
    const bySource = Map.groupBy(
      stored.filter((entry) => passes(entry, filters)),
      ({ sourceId }) => sourceId,
    )
    const expected = [...bySource].map(([sourceId, entries]) => ({
      sourceId,
      entries: entries.length,
      bySeverity: [null, 'CRITICAL', 'ERROR', 'WARN'].map(
        (severity) => entries.filter((entry) => entry.severity === severity).length,
      ),
    }))
    const bySourceId = (one: { sourceId: string }, other: { sourceId: string }) =>
      one.sourceId < other.sourceId ? -1 : 1
    expect(
      counts.map(({ firstTime, lastTime, ...count }) => count).toSorted(bySourceId),
      JSON.stringify(filters),
    ).toEqual(expected.toSorted(bySourceId))
    for (const { sourceId, firstTime, lastTime } of counts) {
      const times = (bySource.get(sourceId) ?? []).map(({ time }) => time)
      expect(firstTime).toBeLessThanOrEqual(Math.min(...times))
      expect(lastTime).toBeGreaterThanOrEqual(Math.max(...times))
    }
  } finally {
    for (const part of parts) part.release()
  }
}

/** Six steps, a tenth of which is less than a step: retention deletes older entries. */
const retainedMilliseconds = 6_000

type Batch = { lines: Omit<Stored, 'severity' | 'ingestTime'>[]; ingestTime: number }

/** A shard and the naive engine, with a simulated clock. */
const startHistory = async () => {
  const folder = await createShardFolder()
  let opened = await folder.open({ documents: 40 })
  let stored: Stored[] = []
  const sent: Batch[] = []
  const requests: SearchRequest[] = []
  let sequence = 0
  let now = 1_700_000_000_000

  const send = async ({ lines, ingestTime }: Batch) => {
    const fresh = lines.filter((line) => !stored.some((entry) => entry.sequence === line.sequence))
    expect(await opened.shard.ingest(batchOf(lines, ingestTime))).toEqual({
      entries: fresh.length,
      duplicates: lines.length - fresh.length,
    })
    stored.push(...fresh.map((line) => ({ ...line, ingestTime, severity: severityOf(line.text) })))
  }
  type StepOf<Kind> = Extract<Step, { kind: Kind }>
  const steps: { [Kind in Step['kind']]: (step: StepOf<Kind>) => Promise<void> } = {
    batch: async (step) => {
      const lines = step.lines.map(({ text, sourceId, offset }) => {
        sequence++
        return { text, sourceId, sequence, time: 1_000_000_000 + offset * 1000 }
      })
      sent.push({ lines, ingestTime: now })
      await send({ lines, ingestTime: now })
    },
    again: async ({ which }) => {
      const batch = sent[which % Math.max(1, sent.length)]
      // A deleted or expired entry that is sent again has a new arrival time.
      if (batch) await send({ ...batch, ingestTime: now })
    },
    delete: async ({ source }) => {
      const isGone = ({ sourceId }: Stored) => isOfSource(sourceId, source)
      expect(await opened.shard.deleteSource(source)).toBe(stored.filter(isGone).length)
      stored = stored.filter((entry) => !isGone(entry))
    },
    grade: async ({ which, severity }) => {
      const entry = stored[which % Math.max(1, stored.length)]
      if (!entry) return
      entry.severity = severity
      expect(await opened.shard.setSeverity(idOf(entry), severity)).toMatchObject({
        sequence: entry.sequence,
        severity,
      })
    },
    expire: async () => {
      const before = now - retainedMilliseconds
      const staying = stored.filter(({ ingestTime }) => ingestTime >= before)
      expect((await opened.shard.rewrite({ kind: 'expire', before })).entries).toBe(stored.length - staying.length)
      stored = staying
    },
    maintain: async () => {
      const retention = { days: retainedMilliseconds / 86_400_000, bytes: null, sources: [] }
      await opened.shard.maintain({ retention, now, isThorough: true })
      stored = stored.filter(({ ingestTime }) => ingestTime >= now - retainedMilliseconds)
    },
    flush: () => opened.shard.flush(),
    restart: async () => {
      await opened[Symbol.asyncDispose]()
      opened = await folder.open({ documents: 40 })
    },
    search: async ({ query, filters, order, limit }) => {
      // Values cached for a query in one order are reused in another.
      for (const each of [order, ...orders.filter((other) => other !== order)]) {
        const request = { query: parseQuery(query), filters, order: each, limit, withFacets: true }
        requests.push(request)
        await compare(opened.shard, stored, request)
      }
    },
  }
  return {
    take: async (step: Step) => {
      now += 1_000
      await (steps[step.kind] as (step: Step) => Promise<void>)(step)
    },
    /** Compares everything, before and after background work has ended. */
    finish: async () => {
      expect(opened.problems).toEqual([])
      for (const filters of everyFilters) await compareSources(opened.shard, stored, filters)
      await opened.shard.settled()
      await compare(opened.shard, stored, { query: null, filters: {}, order: 'time', limit: 1000, withFacets: true })
      for (const filters of everyFilters) await compareSources(opened.shard, stored, filters)
      // Cached counts of earlier searches are part of the answers now.
      for (const request of requests) await compare(opened.shard, stored, request)
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Runs a history against a shard and the naive engine, and fails if their results differ. */
export const runHistory = async (history: readonly Step[]): Promise<void> => {
  await using running = await startHistory()
  for (const step of history) await running.take(step)
  await running.finish()
}
