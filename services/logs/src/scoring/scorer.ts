import { setTimeout as sleep } from 'node:timers/promises'
import { isServiceError } from '@trellis/kit/errors'
import type { Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import { isStorable } from '../entries/usable-id.ts'
import type { OverlayChange } from '../overlays/entry-overlay.ts'
import type { Overlays } from '../overlays/store.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Detections } from './detections.ts'
import { type Finding, minScore, type Scorer as ScorerName, type WholeFinding } from './finding.ts'
import { deleteScoredSource, findNote, noteTask, saveScoredSource, scoredSources } from './scorer-store.ts'
import {
  isUnchangedBefore,
  lookBackMilliseconds,
  type Near,
  nearOf,
  rangeToScore,
  type SourceRange,
  wholeRange,
} from './source-range.ts'
import type { ScoredSourceRow, ScoringTables } from './tables.ts'

/** The result of scoring a range: its findings, and the number of entries examined. */
export type Scored = { findings: readonly Finding[]; entries: number }
export type ScoreRange = (range: SourceRange, signal: AbortSignal) => Promise<Scored>
/** Like `ScoreRange`, with the complete entries of the findings. */
export type ScoreWhole = (
  range: SourceRange,
  signal: AbortSignal,
) => Promise<{ findings: readonly WholeFinding[]; entries: number }>

export type RunOutcome = {
  startedAt: number
  finishedAt: number
  sources: number
  entries: number
  detections: number
  /** A sentence about sources that could not be scored; null if all were. */
  error: string | null
}

export type Scorer = {
  readonly name: ScorerName
  /** Scores entries that arrived since the last round, on any node. Resolves to false without doing anything while another replica holds the task. */
  round: (signal: AbortSignal) => Promise<boolean>
  /** Scores all stored entries, or those between the requested times. Rejects if entries cannot be read. */
  run: (options: RunOptions, signal: AbortSignal) => Promise<RunOutcome>
  lastOutcome: () => Promise<RunOutcome | null>
  isBusy: () => Promise<boolean>
  /** The number of stored entries that the scorer has not examined. */
  unscored: (signal: AbortSignal) => Promise<number>
}
export type RunOptions = {
  since?: number | undefined
  until?: number | undefined
  onProgress?: (done: number, total: number) => void
}

export type ScorerOptions = {
  name: ScorerName
  score: ScoreRange
  db: Kysely<ScoringTables>
  leases: Pick<Leases, 'take' | 'isHeld'>
  engine: Pick<LogEngine, 'sources'>
  detections: Pick<Detections, 'store'>
  overlays: Pick<Overlays, 'put'>
  now: () => number
  log: Log
}

/** Findings stored per source and pass, those with the highest scores: a flood of findings helps no user. */
const maxFindings = 500
const waitMilliseconds = 1_000
/** Sources whose most recent entry counts are cached. */
const maxRemembered = 10_000

/** Sources that a problem names; the log names every one. */
const maxNamed = 5

const problemOf = (skipped: ReadonlySet<string>): string | null => {
  if (skipped.size === 0) return null
  const named = [...skipped].slice(0, maxNamed).map((sourceId) => JSON.stringify(sourceId))
  const more = skipped.size > maxNamed ? ` and ${skipped.size - maxNamed} more` : ''
  return `Some entries of ${named.join(', ')}${more} are not scored: an id contains characters that the database cannot store. Delete the entries or sources with such ids.`
}
const failedProblem =
  'Entries could not be scored in the last round. Scoring is retried; the log of the service has the cause.'

/** The field of an entry that carries a scorer's score. */
const overlayField = { anomaly: 'anomaly', cybersec: 'security' } as const satisfies Record<ScorerName, string>

const overlaysOf = (findings: readonly Finding[], scoredAt: number): OverlayChange[] => {
  const changes = new Map<string, OverlayChange>()
  // The highest score comes last, so that an entry of several findings shows it.
  for (const { scorer, score, label, entry, also } of findings.toSorted((a, b) => a.score - b.score)) {
    for (const { entryId, origin } of [entry, ...also])
      changes.set(entryId, { entryId, sourceId: origin.sourceId, [overlayField[scorer]]: { score, label, scoredAt } })
  }
  return [...changes.values()]
}

/** Scores sources as they grow, and all sources on request; one replica at a time. */
export const createScorer = (options: ScorerOptions): Scorer => {
  const { name, score, db, leases, engine, detections, overlays, now, log } = options
  const task = `${name}:round`

  /** Sources with ids that the database cannot store; each is logged once. */
  const skipped = new Set<string>()
  const skip = (sourceId: string, more: object = {}) => {
    if (skipped.has(sourceId)) return
    skipped.add(sourceId)
    log.warn({ scorer: name, sourceId, ...more }, 'scoring: skipped, because the database cannot store the id')
  }
  /** The sources whose ids the database can store. Skipped sources that no longer exist are removed from `skipped`. */
  const storableSources = async (signal: AbortSignal): Promise<SourceCount[]> => {
    const sources = await engine.sources({}, signal)
    const there = new Set(sources.map(({ sourceId }) => sourceId))
    for (const sourceId of skipped) if (!there.has(sourceId)) skipped.delete(sourceId)
    return sources.filter(({ sourceId }) => {
      if (isStorable(sourceId)) return true
      skip(sourceId)
      return false
    })
  }
  /** Removes entries whose ids the database cannot store, and findings that are left without their shown entry. */
  const storableOf = (findings: readonly Finding[]): Finding[] =>
    findings.flatMap((finding) => {
      const [isShown, ...others] = [finding.entry, ...finding.also].map(({ entryId, origin }) => {
        const canStore = isStorable(entryId)
        if (!canStore) skip(origin.sourceId, { entryId })
        return canStore
      })
      return isShown ? [{ ...finding, also: finding.also.filter((_, index) => others[index]) }] : []
    })
  const scoreRange = async (range: SourceRange, signal: AbortSignal) => {
    const { findings, entries } = await score(range, signal)
    const stored = storableOf(findings)
      .filter((finding) => finding.score >= minScore)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, maxFindings)
    // Scores are stored before detections, so that a client notified of a detection finds the score on the entry.
    await overlays.put(overlaysOf(stored, now()))
    return { entries, detections: await detections.store(stored) }
  }
  const countIn = async (
    sourceId: string,
    since: number | undefined,
    until: number | undefined,
    signal: AbortSignal,
  ) => {
    const filters = { source: sourceId, ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
    const counts = await engine.sources(filters, signal)
    return counts.find((count) => count.sourceId === sourceId)?.entries ?? 0
  }
  /** Recent counts by source; in memory only, so lost on a restart and not shared with other replicas. */
  const near = new Map<string, Near>()
  const remember = async ({ sourceId, lastTime }: SourceCount, range: SourceRange, signal: AbortSignal) => {
    const count = (since: number | undefined, until: number | undefined) => countIn(sourceId, since, until, signal)
    const last = near.get(sourceId)
    const next = await nearOf(lastTime, count)
    // Older entries that arrived after the range was chosen are in the new count but in no range: the next round must detect them.
    const isWhole = last === undefined || (await isUnchangedBefore(last, range, count))
    if (near.size >= maxRemembered) near.clear()
    if (isWhole) near.set(sourceId, next)
    else near.delete(sourceId)
  }
  /** The progress of a source, read before it is scored: entries that arrive meanwhile exceed the count and are scored in the next round. */
  const rowOf = async (source: SourceCount, range: SourceRange, signal: AbortSignal): Promise<ScoredSourceRow> => {
    const { sourceId, entries, lastTime } = source
    const recent = await countIn(sourceId, lastTime - lookBackMilliseconds, lastTime + 1, signal)
    await remember(source, range, signal)
    return { scorer: name, source_id: sourceId, entries, recent, seen_until: lastTime }
  }
  const scoreSources = async (
    ranges: readonly { source: SourceCount; range: SourceRange }[],
    signal: AbortSignal,
    onProgress?: RunOptions['onProgress'],
  ) => {
    const sum = { sources: ranges.length, entries: 0, detections: 0 }
    for (const [index, { source, range }] of ranges.entries()) {
      signal.throwIfAborted()
      const row = await rowOf(source, range, signal)
      try {
        const { entries, detections: fresh } = await scoreRange(range, signal)
        sum.entries += entries
        sum.detections += fresh
      } catch (error) {
        // The store rejects this input, and would reject it again.
        if (!isServiceError(error, 'invalid')) throw error
        skip(source.sourceId, { err: error })
      }
      if (range.until > source.lastTime) await saveScoredSource(db, row)
      onProgress?.(index + 1, ranges.length)
    }
    return sum
  }
  const grownSources = async (signal: AbortSignal) => {
    const [sources, known] = await Promise.all([storableSources(signal), scoredSources(db, name)])
    const ranges: { source: SourceCount; range: SourceRange }[] = []
    for (const source of sources) {
      const row = known.get(source.sourceId)
      const range = await rangeToScore({
        source,
        known: row,
        near: near.get(source.sourceId),
        countIn: (since, until) => countIn(source.sourceId, since, until, signal),
      })
      if (range) ranges.push({ source, range })
      else if (row && row.entries > source.entries)
        await saveScoredSource(db, await rowOf(source, wholeRange(source), signal))
    }
    const there = new Set(sources.map(({ sourceId }) => sourceId))
    for (const sourceId of known.keys()) if (!there.has(sourceId)) await deleteScoredSource(db, name, sourceId)
    return ranges
  }
  /** Runs work while holding the task's lease. If another replica holds it, waits for it or resolves to undefined. */
  const withTask = async <Value>(
    mustWait: boolean,
    signal: AbortSignal,
    work: (whole: AbortSignal) => Promise<{ value: Value; outcome?: RunOutcome }>,
  ): Promise<Value | undefined> => {
    for (;;) {
      await using held = await leases.take(task, signal)
      if (held) {
        const { value, outcome } = await work(held.signal)
        if (outcome) await noteTask(db, { name: task, outcome: JSON.stringify(outcome) })
        return value
      }
      if (!mustWait) return undefined
      await sleep(waitMilliseconds, undefined, { signal, ref: false })
    }
  }
  const outcomeOf = (startedAt: number, sum: { sources: number; entries: number; detections: number }): RunOutcome => ({
    startedAt,
    finishedAt: now(),
    ...sum,
    error: problemOf(skipped),
  })
  const lastOutcome = async () => {
    const outcome = await findNote(db, task)
    return outcome ? (JSON.parse(outcome) as RunOutcome) : null
  }
  /** The problem as last stored. A failure updates only the problem of the last outcome. */
  let storedProblem: string | null | undefined
  const storeProblem = async (error: string | null) => {
    const last = await lastOutcome()
    storedProblem = error
    if ((last?.error ?? null) === error) return
    const nothing = { startedAt: now(), finishedAt: now(), sources: 0, entries: 0, detections: 0 }
    await noteTask(db, { name: task, outcome: JSON.stringify({ ...(last ?? nothing), error }) })
  }
  return {
    name,
    round: async (signal) => {
      const hadTask = await withTask(false, signal, async (whole) => {
        const startedAt = now()
        try {
          const ranges = await grownSources(whole)
          if (ranges.length === 0) {
            const problem = problemOf(skipped)
            if (problem !== storedProblem) await storeProblem(problem)
            return { value: true }
          }
          const sum = await scoreSources(ranges, whole)
          if (sum.detections > 0) log.info({ scorer: name, detections: sum.detections }, 'entries were detected')
          const outcome = outcomeOf(startedAt, sum)
          storedProblem = outcome.error
          return { value: true, outcome }
        } catch (error) {
          // If the store is failing, this write may fail, too.
          if (!whole.aborted) await storeProblem(failedProblem).catch(() => undefined)
          throw error
        }
      })
      return hadTask ?? false
    },
    run: async ({ since, until, onProgress }, signal) => {
      const outcome = await withTask(true, signal, async (whole) => {
        const startedAt = now()
        const sources = await storableSources(whole)
        const ranges = sources.flatMap((source) => {
          const all = wholeRange(source)
          const range = {
            ...all,
            since: Math.max(all.since, since ?? all.since),
            until: Math.min(all.until, until ?? all.until),
          }
          return range.since < range.until ? [{ source, range }] : []
        })
        const done = outcomeOf(startedAt, await scoreSources(ranges, whole, onProgress))
        return { value: done, outcome: done }
      })
      if (!outcome) throw new Error('A run that waits for the lease must have an outcome.')
      return outcome
    },
    lastOutcome,
    isBusy: () => leases.isHeld(task),
    unscored: async (signal) => {
      const [sources, known] = await Promise.all([engine.sources({}, signal), scoredSources(db, name)])
      const waiting = sources.map(({ sourceId, entries }) => Math.max(0, entries - (known.get(sourceId)?.entries ?? 0)))
      return waiting.reduce((sum, entries) => sum + entries, 0)
    },
  }
}
