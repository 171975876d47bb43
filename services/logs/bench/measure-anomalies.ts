import type { StoredEntry } from '../src/entries/entry.ts'
import { type Finding, minScore } from '../src/scoring/finding.ts'
import { readEntries } from '../src/scoring/read-entries.ts'
import { createAnomalyScoring } from '../src/scoring/score-anomalies.ts'
import { lookBackMilliseconds, type RangeQuestion, rangeToScore, wholeRange } from '../src/scoring/source-range.ts'
import type { LogEngine } from '../src/threads/log-engine.ts'
import type { LabelledLog } from './labelled-faults.ts'
import { averagePrecision, precisionAndRecall, type Ranked } from './ranking.ts'
import { withEngine } from './with-engine.ts'

export type AnomalyFigure = {
  name: string
  /** Share of entries that tell of a fault: the precision, and average precision, of flagging at random. */
  baseRate: number
  ours: { averagePrecision: number; precision: number; recall: number }
  /** Of flagging what has the level ERROR or worse. */
  byLevel: { averagePrecision: number; precision: number; recall: number }
  /** The log coming in slices: kinds of faults, those told of, and the share of a kind's entries that had come by then, the median. */
  kinds: number
  kindsTold: number
  cameBefore: number
  /** Processor microseconds of scoring for each entry, the threads of the engine included: as a whole, and in slices. */
  microseconds: number
  microsecondsInSlices: number
}

const never = new AbortController().signal
const sourceId = 'sample'
const slices = 20

const sourceOf = async (engine: LogEngine) => {
  const [source] = await engine.sources({})
  if (!source) throw new Error('Nothing was read of the sample.')
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

/** Gives lines to the engine as a file of their own, and takes all of it in. */
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
      entries.map((entry) => ({ score: scoreOf(entry), isRight: faults.has(entry.text) }))
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

/** The log coming bit by bit, as the scorer's rounds see it. */
const measureSlices = ({ lines }: LabelledLog) =>
  withEngine(async (engine) => {
    const kindOf = new Map(lines.map(({ text, kind }) => [text, kind]))
    const score = createAnomalyScoring(engine)
    const came = new Map<string, number>()
    const cameWhenTold = new Map<string, number>()
    let microseconds = 0
    let known: RangeQuestion['known']
    for (let slice = 0; slice < slices; slice++) {
      const part = lines.slice((slice * lines.length) / slices, ((slice + 1) * lines.length) / slices)
      await feed(engine, part)
      for (const { kind } of part) if (kind !== null) came.set(kind, (came.get(kind) ?? 0) + 1)
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
          if (kind && !cameWhenTold.has(kind)) cameWhenTold.set(kind, came.get(kind) ?? 0)
        }
    }
    const shares = [...cameWhenTold].map(([kind, count]) => count / (came.get(kind) ?? count)).toSorted((a, b) => a - b)
    return {
      kinds: came.size,
      kindsTold: shares.length,
      cameBefore: shares[Math.floor(shares.length / 2)] ?? Number.NaN,
      microsecondsInSlices: microseconds / lines.length,
    }
  })

/** How well the anomaly scorer tells entries about faults from others, and how soon. */
export const measureAnomalies = async (log: LabelledLog): Promise<AnomalyFigure> => ({
  name: log.name,
  ...(await measureWhole(log)),
  ...(await measureSlices(log)),
})
