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
import { findNote, forgetScoredSource, noteTask, saveScoredSource, scoredSources } from './scorer-store.ts'
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

/** What a scorer makes of a range: what it found, and how many entries it looked at. */
export type Scored = { findings: readonly Finding[]; entries: number }
export type ScoreRange = (range: SourceRange, signal: AbortSignal) => Promise<Scored>
/** The same with all that was read of what was found. */
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
  /** A sentence about what could not be scored; null where all was. */
  error: string | null
}

export type Scorer = {
  readonly name: ScorerName
  /** Scores what has come since the last time, wherever it came in; does nothing while another replica does. Gives whether it was its turn. */
  round: (signal: AbortSignal) => Promise<boolean>
  /** Scores what there is, from and until moments where they are told. Rejects where entries cannot be read. */
  run: (options: RunOptions, signal: AbortSignal) => Promise<RunOutcome>
  lastOutcome: () => Promise<RunOutcome | null>
  isBusy: () => Promise<boolean>
  /** How many entries there are that it has not looked at. */
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
  detections: Pick<Detections, 'keep'>
  overlays: Pick<Overlays, 'put'>
  now: () => number
  log: Log
}

/** Of one source and one time, the surest are kept: a flood of findings tells nobody anything. */
const maxFindings = 500
const waitMilliseconds = 1_000
/** Sources of which it is remembered how many entries came last. */
const maxRemembered = 10_000

/** A problem names so many sources at most; the log names each. */
const maxNamed = 5

const problemOf = (passedOver: ReadonlySet<string>): string | null => {
  if (passedOver.size === 0) return null
  const named = [...passedOver].slice(0, maxNamed).map((sourceId) => JSON.stringify(sourceId))
  const more = passedOver.size > maxNamed ? ` and ${passedOver.size - maxNamed} more` : ''
  return `Nothing is scored of ${named.join(', ')}${more}: an id there has characters that no database keeps. Delete what has such ids.`
}
const failedProblem =
  'Entries could not be scored the last time, which is tried again; the log of the service says why.'

/** The field of an entry that carries a scorer's score. */
const overlayField = { anomaly: 'anomaly', cybersec: 'security' } as const satisfies Record<ScorerName, string>

const overlaysOf = (findings: readonly Finding[], scoredAt: number): OverlayChange[] => {
  const changes = new Map<string, OverlayChange>()
  // The surest last, so that it is what an entry of several findings shows.
  for (const { scorer, score, label, entry, also } of findings.toSorted((a, b) => a.score - b.score)) {
    for (const { entryId, origin } of [entry, ...also])
      changes.set(entryId, { entryId, sourceId: origin.sourceId, [overlayField[scorer]]: { score, label, scoredAt } })
  }
  return [...changes.values()]
}

/** Scores sources as they grow, and all of them when asked; one replica at a time. */
export const createScorer = (options: ScorerOptions): Scorer => {
  const { name, score, db, leases, engine, detections, overlays, now, log } = options
  const task = `${name}:round`

  /** Sources of which something cannot be written down, now; they are told of once. */
  const passedOver = new Set<string>()
  const passOver = (sourceId: string, more: object = {}) => {
    if (passedOver.has(sourceId)) return
    passedOver.add(sourceId)
    log.warn({ scorer: name, sourceId, ...more }, 'what cannot be written down about is not scored')
  }
  /** The sources that can be told of; those passed over that are gone are forgotten. */
  const storableSources = async (signal: AbortSignal): Promise<SourceCount[]> => {
    const sources = await engine.sources({}, signal)
    const there = new Set(sources.map(({ sourceId }) => sourceId))
    for (const sourceId of passedOver) if (!there.has(sourceId)) passedOver.delete(sourceId)
    return sources.filter(({ sourceId }) => {
      if (isStorable(sourceId)) return true
      passOver(sourceId)
      return false
    })
  }
  /** Findings without entries whose ids cannot be written down. */
  const storableOf = (findings: readonly Finding[]): Finding[] =>
    findings.flatMap((finding) => {
      const [isShown, ...others] = [finding.entry, ...finding.also].map(({ entryId, origin }) => {
        const isKept = isStorable(entryId)
        if (!isKept) passOver(origin.sourceId, { entryId })
        return isKept
      })
      return isShown ? [{ ...finding, also: finding.also.filter((_, index) => others[index]) }] : []
    })
  const scoreRange = async (range: SourceRange, signal: AbortSignal) => {
    const { findings, entries } = await score(range, signal)
    const kept = storableOf(findings)
      .filter((finding) => finding.score >= minScore)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, maxFindings)
    // Scores before detections: who is told of one finds it on the entry.
    await overlays.put(overlaysOf(kept, now()))
    return { entries, detections: await detections.keep(kept) }
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
  /** By source; gone after a restart, and unknown to another replica. */
  const near = new Map<string, Near>()
  const remember = async ({ sourceId, lastTime }: SourceCount, range: SourceRange, signal: AbortSignal) => {
    const count = (since: number | undefined, until: number | undefined) => countIn(sourceId, since, until, signal)
    const last = near.get(sourceId)
    const next = await nearOf(lastTime, count)
    // What came further back since the range was chosen is in the new count, and in no range: it must be noticed the next time.
    const isWhole = last === undefined || (await isUnchangedBefore(last, range, count))
    if (near.size >= maxRemembered) near.clear()
    if (isWhole) near.set(sourceId, next)
    else near.delete(sourceId)
  }
  /** How far a source has come, as it is before it is scored: what comes meanwhile is above that, and so comes again. */
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
        // The store refuses what it was given, and would do so again.
        if (!isServiceError(error, 'invalid')) throw error
        passOver(source.sourceId, { err: error })
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
    for (const sourceId of known.keys()) if (!there.has(sourceId)) await forgetScoredSource(db, name, sourceId)
    return ranges
  }
  /** Waits for whoever has the task where it must be done. */
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
    error: problemOf(passedOver),
  })
  const lastOutcome = async () => {
    const outcome = await findNote(db, task)
    return outcome ? (JSON.parse(outcome) as RunOutcome) : null
  }
  /** What is told of the last time; of a failure its problem alone is new. */
  let toldProblem: string | null | undefined
  const tellProblem = async (error: string | null) => {
    const last = await lastOutcome()
    toldProblem = error
    if ((last?.error ?? null) === error) return
    const nothing = { startedAt: now(), finishedAt: now(), sources: 0, entries: 0, detections: 0 }
    await noteTask(db, { name: task, outcome: JSON.stringify({ ...(last ?? nothing), error }) })
  }
  return {
    name,
    round: async (signal) => {
      const wasMine = await withTask(false, signal, async (whole) => {
        const startedAt = now()
        try {
          const ranges = await grownSources(whole)
          if (ranges.length === 0) {
            const problem = problemOf(passedOver)
            if (problem !== toldProblem) await tellProblem(problem)
            return { value: true }
          }
          const sum = await scoreSources(ranges, whole)
          if (sum.detections > 0) log.info({ scorer: name, detections: sum.detections }, 'entries were detected')
          const outcome = outcomeOf(startedAt, sum)
          toldProblem = outcome.error
          return { value: true, outcome }
        } catch (error) {
          // A store that fails may not even take this.
          if (!whole.aborted) await tellProblem(failedProblem).catch(() => undefined)
          throw error
        }
      })
      return wasMine ?? false
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
      if (!outcome) throw new Error('A run waits for its turn, and so has one.')
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
