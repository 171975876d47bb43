import { serviceError } from '@trellis/kit/errors'
import type { MatchedEntry } from '../entries/matched-entry.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Checkpoints, Collectors } from './collector.ts'
import { collectorFor } from './collectors.ts'
import { createKeeper, type Kept } from './keep-chunks.ts'
import type { SourceEntry } from './source-entry.ts'

export type Collected = {
  kept: Kept
  /** What could not be read: the first of them, and how many there were. */
  problems: string[]
  problemCount: number
}

export type CollectSourceOptions = {
  source: SourceEntry
  force: boolean
  signal: AbortSignal
  onProgress?: (kept: Kept) => void
  /** Only the logs of these files. */
  only?: ReadonlySet<string> | undefined
}

export type SourceCollecting = {
  engine: Pick<LogEngine, 'ingestFile' | 'ingest'>
  collectors: Collectors
  checkpointsOf: (source: string) => Checkpoints
  /** Hears of entries that patterns match before they are stored. */
  onMatched?: ((entries: MatchedEntry[]) => Promise<void>) | undefined
}

/** So many problems of one source are told of. */
const maxProblems = 20

/** Collects one source to its end and stores it. Throws for what prevented everything; what was stored before is not lost. */
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
  const keeper = createKeeper({ engine, source, checkpoints, onMatched })
  try {
    for await (const chunk of collector.collect({ checkpoints, force, signal, only, onProblem })) {
      await keeper.take(chunk)
      onProgress?.(keeper.kept())
    }
  } catch (error) {
    await keeper.finish(false).catch(() => undefined)
    throw error
  }
  await keeper.finish(!signal.aborted)
  return { kept: keeper.kept(), problems, problemCount }
}
