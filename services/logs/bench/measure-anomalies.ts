import type { StoredEntry } from '../src/entries/entry.ts'
import { type Finding, minScore } from '../src/scoring/finding.ts'
import { readEntries } from '../src/scoring/read-entries.ts'
import { createAnomalyScoring } from '../src/scoring/score-anomalies.ts'
import { lookBackMilliseconds, type RangeInput, rangeToScore, wholeRange } from '../src/scoring/source-range.ts'
import type { LogEngine } from '../src/threads/log-engine.ts'
import type { LabelledLog } from './labelled-faults.ts'
import { averagePrecision, precisionAndRecall, type Ranked } from './ranking.ts'
import { withEngine } from './with-engine.ts'

export type AnomalyFigure = {
  name: string
  /** Share of entries that report a fault: the precision, and average precision, of random flagging. */
  baseRate: number
  ours: { averagePrecision: number; precision: number; recall: number }
  /** Flagging by the level ERROR or above. */
  byLevel: { averagePrecision: number; precision: number; recall: number }
  /** With the log arriving in slices: kinds of faults, detected kinds, and the median share of a kind's entries that preceded its detection. */
  kinds: number
  kindsDetected: number
  shareBefore: number
  /** Processor microseconds of scoring per entry, including the threads of the engine: as a whole, and in slices. */
  microseconds: number
  microsecondsInSlices: number
}

const never = new AbortController().signal
const sourceId = 'sample'
const slices = 20

const sourceOf = async (engine: LogEngine) => {
  const [source] = await engine.sources({})
  if (!source) throw new Error('No entry of the sample was read.')
  return source
}
const everything = async (engine: LogEngine) => {
  const { firstTime, lastTime } = await sourceOf(engine)
  return { source: sourceId, since: firstTime, until: lastTime + 1 }
}
const allEntries = async (engine: LogEngine): Promise<StoredEntry[]> =>
  Array.fromAsync(
    readEntries(engine, { query: null, filters: await everything(engine), limit: 100_000, signal: never }),
  )

const scoresOf = (findings: readonly Finding[]): Map<string, number> => {
  const scores = new Map<string, number>()
  for (const { score, entry, also } of findings)
    for (const { entryId } of [entry, ...also]) scores.set(entryId, Math.max(score, scores.get(entryId) ?? 0))
  return scores
}

const levelScores = { CRITICAL: 1, ERROR: 0.5 } as const
const levelScoreOf = ({ severity }: StoredEntry): number =>
  severity === 'CRITICAL' || severity === 'ERROR' ? levelScores[severity] : 0

/** Ingests all lines as a file. */
const feed = async (engine: LogEngine, lines: LabelledLog['lines']) => {
  const file = await engine.ingestFile({ source: { sourceId, branch: null, tenantId: null }, reference: Date.now() })
  await file.push(Uint8Array.from(Buffer.from(`${lines.map(({ text }) => text).join('\n')}\n`, 'latin1')))
  await file.end()
}
const microsecondsOf = async <Value>(work: () => Promise<Value>): Promise<{ value: Value; microseconds: number }> => {
  const before = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { value, microseconds: user + system }
}

const measureWhole = ({ lines }: LabelledLog) =>
  withEngine(async (engine) => {
    await feed(engine, lines)
    const source = await sourceOf(engine)
    const { value, microseconds } = await microsecondsOf(() =>
      createAnomalyScoring(engine, 0)(wholeRange(source), never),
    )
    const scores = scoresOf(value.findings)
    const faults = new Set(lines.filter(({ kind }) => kind !== null).map(({ text }) => text))
    const entries = await allEntries(engine)
    const rank = (scoreOf: (entry: StoredEntry) => number): Ranked[] =>
      entries.map((entry) => ({ score: scoreOf(entry), isRelevant: faults.has(entry.text) }))
    const figuresOf = (ranked: readonly Ranked[]) => ({
      averagePrecision: averagePrecision(ranked),
      ...precisionAndRecall(ranked, minScore),
    })
    return {
      baseRate: entries.filter(({ text }) => faults.has(text)).length / entries.length,
      ours: figuresOf(rank(({ entryId }) => scores.get(entryId) ?? 0)),
      byLevel: figuresOf(rank(levelScoreOf)),
      microseconds: microseconds / entries.length,
    }
  })

/** Ingests and scores the log slice by slice, like the scorer's rounds. */
const measureSlices = ({ lines }: LabelledLog) =>
  withEngine(async (engine) => {
    const kindOf = new Map(lines.map(({ text, kind }) => [text, kind]))
    const score = createAnomalyScoring(engine)
    const arrived = new Map<string, number>()
    const arrivedWhenDetected = new Map<string, number>()
    let microseconds = 0
    let known: RangeInput['known']
    for (let slice = 0; slice < slices; slice++) {
      const part = lines.slice((slice * lines.length) / slices, ((slice + 1) * lines.length) / slices)
      await feed(engine, part)
      for (const { kind } of part) if (kind !== null) arrived.set(kind, (arrived.get(kind) ?? 0) + 1)
      const source = await sourceOf(engine)
      const countIn = async (since: number | undefined, until: number | undefined) => {
        const bounds = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
        return (await engine.sources({ source: sourceId, ...bounds }))[0]?.entries ?? 0
      }
      const range = await rangeToScore({ source, known, near: undefined, countIn })
      known = {
        scorer: 'anomaly',
        source_id: sourceId,
        entries: source.entries,
        recent: await countIn(source.lastTime - lookBackMilliseconds, undefined),
        seen_until: source.lastTime,
      }
      if (!range) continue
      const scored = await microsecondsOf(() => score(range, never))
      microseconds += scored.microseconds
      for (const { entry, also } of scored.value.findings)
        for (const { text } of [entry, ...also]) {
          const kind = kindOf.get(text)
          if (kind && !arrivedWhenDetected.has(kind)) arrivedWhenDetected.set(kind, arrived.get(kind) ?? 0)
        }
    }
    const shares = [...arrivedWhenDetected]
      .map(([kind, count]) => count / (arrived.get(kind) ?? count))
      .toSorted((a, b) => a - b)
    return {
      kinds: arrived.size,
      kindsDetected: shares.length,
      shareBefore: shares[Math.floor(shares.length / 2)] ?? Number.NaN,
      microsecondsInSlices: microseconds / lines.length,
    }
  })

/** How well the anomaly scorer separates entries about faults from others, and how early. */
export const measureAnomalies = async (log: LabelledLog): Promise<AnomalyFigure> => ({
  name: log.name,
  ...(await measureWhole(log)),
  ...(await measureSlices(log)),
})
