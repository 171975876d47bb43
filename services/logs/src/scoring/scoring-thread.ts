import { serialize } from 'node:v8'
import { activeUserFormats } from '../formats/active-formats.ts'
import { createLazyThread } from '../threads/lazy-thread.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Scorer } from './finding.ts'
import type { ScoreRange } from './scorer.ts'
import type { ScoringCalls, ScoringHostCalls } from './scoring-calls.ts'

export type ScoringThreadOptions = {
  engine: Pick<LogEngine, 'search' | 'searchSerialized' | 'templates'>
  /** The thread ends after this time without work, in ms. */
  idleMilliseconds?: number
  onFailure: (error: Error) => void
}

/**
 * Runs the built-in scoring in a thread of its own: matching hundreds of thousands of entries would block the thread of the service, and its garbage
 * would burden the heap of the service. The thread starts when there are entries to score.
 */
export type ScoringThread = AsyncDisposable & {
  /** Scores one range at a time per scorer. */
  scoringOf: (scorer: Scorer) => ScoreRange
}

/** Longer than the pause between rounds: starting the thread again for each round would cost more than its memory. */
const defaultIdleMilliseconds = 120_000

export const createScoringThread = (options: ScoringThreadOptions): ScoringThread => {
  const { engine, idleMilliseconds = defaultIdleMilliseconds, onFailure } = options
  /** The signal of each scorer's current run, which aborts its searches. */
  const runs = new Map<Scorer, AbortSignal>()
  const thread = createLazyThread<ScoringCalls>({
    module: new URL('./scoring-worker.ts', import.meta.url),
    own: {
      search: async (scorer, request) => {
        const signal = runs.get(scorer)
        return engine.searchSerialized?.(request, signal) ?? serialize(await engine.search(request, signal))
      },
      templates: (scorer, question) => engine.templates(question, runs.get(scorer)),
    } satisfies ScoringHostCalls,
    idleMilliseconds,
    mayRest: () => runs.size === 0,
    lastCall: 'rest',
    onRest: () => undefined,
    onFailure,
  })
  return {
    scoringOf: (scorer) => async (range, signal) => {
      runs.set(scorer, signal)
      try {
        return await thread.call('score', [scorer, range, activeUserFormats()])
      } finally {
        runs.delete(scorer)
        signal.throwIfAborted()
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
