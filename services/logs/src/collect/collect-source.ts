import { serviceError } from '@trellis/kit/errors'
import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { createChunkWriter, type StoredResult } from './chunk-writer.ts'
import type { Checkpoints, Collectors } from './collector.ts'
import { collectorFor } from './collectors.ts'
import type { SourceEntry } from './source-entry.ts'

export type Collected = {
  result: StoredResult
  /** The first problems in reading the source, and the number of all. */
  problems: string[]
  problemCount: number
}

export type CollectSourceOptions = {
  source: SourceEntry
  force: boolean
  signal: AbortSignal
  onProgress?: (result: StoredResult) => void
  /** Only the logs of these files. */
  only?: ReadonlySet<string> | undefined
}

export type SourceCollecting = {
  engine: Pick<LogEngine, 'ingestFile' | 'ingest'>
  collectors: Collectors
  checkpointsOf: (source: string) => Checkpoints
  /** Receives entries that patterns match before they are stored. */
  onMatched?: ((entries: MatchedEntry[]) => Promise<void>) | undefined
}

/** The maximum number of problems that are reported for one source. */
const maxProblems = 20

/** Collects one source completely and stores it. Throws for a failure of the whole source; what was stored before is not lost. */
export const collectSource = async (
  { engine, collectors, checkpointsOf, onMatched }: SourceCollecting,
  { source, force, signal, only, onProgress }: CollectSourceOptions,
): Promise<Collected> => {
  const collector = collectorFor(collectors, source)
  if (!collector)
    throw serviceError(
      'unavailable',
      `Sources of the type ${source.transport}/${source.gleanType} cannot be collected here.`,
    )
  const problems: string[] = []
  let problemCount = 0
  const onProblem = (problem: string) => {
    problemCount++
    if (problems.length < maxProblems) problems.push(problem)
  }
  const checkpoints = checkpointsOf(source.id)
  const writer = createChunkWriter({ engine, source, checkpoints, onMatched })
  try {
    for await (const chunk of collector.collect({ checkpoints, force, signal, only, onProblem })) {
      await writer.take(chunk)
      onProgress?.(writer.result())
    }
  } catch (error) {
    await writer.finish(false).catch(() => undefined)
    throw error
  }
  await writer.finish(!signal.aborted)
  return { result: writer.result(), problems, problemCount }
}
