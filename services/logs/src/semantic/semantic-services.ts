import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { LogsConfig } from '../config.ts'
import { createModel } from '../models/model.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createSemanticSearch, type SemanticSearch } from './semantic-search.ts'
import { createTextVectors, type TextVectors } from './text-vectors.ts'
import type { VectorTables } from './vector-store.ts'

export type SemanticServices = AsyncDisposable & {
  semantic: SemanticSearch
  /** Absent if no model is configured. */
  vectors: TextVectors | undefined
}

export type SemanticServicesOptions = {
  config: Pick<LogsConfig, 'embeddingModel' | 'semanticWaitMilliseconds' | 'offlineMode'>
  db: Kysely<VectorTables>
  engine: Pick<LogEngine, 'search' | 'countWords' | 'templates' | 'find'>
  now: () => number
  log: Log
}

/** Semantic search and vectors; lightweight if no model is configured. */
export const createSemanticServices = (options: SemanticServicesOptions): SemanticServices => {
  const { config, db, engine, now, log } = options
  const { embeddingModel: directory, offlineMode: isOffline, semanticWaitMilliseconds: waitMilliseconds } = config
  const model =
    directory === undefined
      ? undefined
      : createModel({
          directory,
          task: 'embedding',
          isOffline,
          onProblem: (problem) => log.error({ problem }, 'the embedding model cannot be used'),
        })
  const vectors = model && createTextVectors({ db, model, now })
  return {
    semantic: createSemanticSearch({
      engine,
      vectors,
      waitMilliseconds,
      onProblem: (error) => log.error({ err: error }, 'a search by meaning failed'),
    }),
    vectors,
    [Symbol.asyncDispose]: async () => model?.[Symbol.asyncDispose](),
  }
}
