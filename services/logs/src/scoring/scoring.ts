import type { Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { LogsConfig } from '../config.ts'
import { createModel, type Model } from '../models/model.ts'
import type { Overlays } from '../overlays/store.ts'
import { createTextVectors } from '../semantic/text-vectors.ts'
import type { VectorTables } from '../semantic/vector-store.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createClassifierScoring, withClassifier } from './classifier.ts'
import { createDetections, type Detections } from './detections.ts'
import type { Scorer as ScorerName } from './finding.ts'
import { createScorer, type ScoreRange, type Scorer } from './scorer.ts'
import { createScoringThread } from './scoring-thread.ts'
import type { ScoringTables } from './tables.ts'
import { watchArrivals } from './watch-arrivals.ts'

export type ScoringOptions = {
  config: Pick<LogsConfig, 'anomalyModel' | 'securityModel' | 'securityDevice' | 'securityThreshold' | 'offlineMode'>
  db: Kysely<ScoringTables & VectorTables>
  leases: Pick<Leases, 'take' | 'isHeld'>
  engine: Pick<LogEngine, 'search' | 'searchSerialized' | 'sources' | 'templates'>
  overlays: Pick<Overlays, 'put'>
  /** A token that changes when entries have arrived on any node. */
  arrivals: () => Promise<string>
  now: () => number
  log: Log
}

/** The classifier of a scorer, if a model folder is configured. */
export type ScorerModel = { model: Model; labels: () => readonly string[]; threshold: number }
export type ScoringPart = { scorer: Scorer; model: ScorerModel | undefined; threshold: number }

export type Scoring = AsyncDisposable & {
  parts: Readonly<Record<ScorerName, ScoringPart>>
  detections: Detections
}

/** Labels of the anomaly model become detections from this probability on. */
const anomalyThreshold = 0.5

/** Creates both scorers, and starts the rounds in which they score new entries. */
export const createScoring = (options: ScoringOptions): Scoring => {
  const { config, db, leases, engine, overlays, arrivals, now, log } = options
  const opened = new AsyncDisposableStack()
  const detections = createDetections(db, now)
  const thread = opened.use(
    createScoringThread({ engine, onFailure: (error) => log.error({ err: error }, 'the scoring thread failed') }),
  )

  const partOf = (
    name: ScorerName,
    own: ScoreRange,
    settings: { directory: string | undefined; device: string; threshold: number },
  ) => {
    const { directory, device, threshold } = settings
    const model =
      directory === undefined
        ? undefined
        : opened.use(
            createModel({
              directory,
              task: 'classification',
              device,
              isOffline: config.offlineMode,
              onProblem: (problem) => log.error({ scorer: name, problem }, 'scoring: the model cannot be used'),
            }),
          )
    let labels: readonly string[] = []
    const loading = model && {
      run: model.run,
      load: async () => {
        const loaded = await model.load()
        labels = loaded.labels
        return loaded
      },
    }
    const classifier =
      loading &&
      createClassifierScoring({
        scorer: name,
        engine,
        vectors: createTextVectors({ db, model: loading, now }),
        threshold,
      })
    const scorer = createScorer({
      name,
      score: withClassifier(own, classifier),
      db,
      leases,
      engine,
      detections,
      overlays,
      now,
      log,
    })
    return { scorer, model: model && { model, labels: () => labels, threshold }, threshold }
  }
  const parts = {
    anomaly: partOf('anomaly', thread.scoringOf('anomaly'), {
      directory: config.anomalyModel,
      device: 'cpu',
      threshold: anomalyThreshold,
    }),
    cybersec: partOf('cybersec', thread.scoringOf('cybersec'), {
      directory: config.securityModel,
      device: config.securityDevice,
      threshold: config.securityThreshold,
    }),
  }
  const ending = new AbortController()
  const watching = watchArrivals({
    scorers: [parts.anomaly.scorer, parts.cybersec.scorer],
    arrivals,
    signal: ending.signal,
    onProblem: (scorer, error) => log.error({ scorer, err: error }, 'scoring: entries could not be scored'),
  })
  opened.defer(async () => {
    ending.abort(new Error('Scoring is ending.'))
    await watching
  })
  return { parts, detections, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
