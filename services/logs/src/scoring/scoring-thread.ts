import { serialize } from 'node:v8'
import { userFormatsInForce } from '../formats/in-force.ts'
import { createLazyThread } from '../threads/lazy-thread.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import type { Scorer } from './finding.ts'
import type { ScoreRange } from './scorer.ts'
import type { ScoringCalls, ScoringHostCalls } from './scoring-calls.ts'

export type ScoringThreadOptions = {
  engine: Pick<LogEngine, 'search' | 'searchSerialized' | 'templates'>
  /** Ends after so long without work; in ms. */
  idleMilliseconds?: number
  onFailure: (error: Error) => void
}

/**
 * What the scorers know by themselves, asked in a thread of its own: matching hundreds of thousands of entries would keep the thread of the
 * service from answering, and what becomes garbage there from everything else. It starts when there is something to be looked at.
 */
export type ScoringThread = AsyncDisposable & {
  /** Of each scorer one range at a time. */
  scoringOf: (scorer: Scorer) => ScoreRange
}

/** Longer than the rest after a round: to start anew for each would cost more than the memory. */
const defaultIdleMilliseconds = 120_000

export const createScoringThread = (options: ScoringThreadOptions): ScoringThread => {
  const { engine, idleMilliseconds = defaultIdleMilliseconds, onFailure } = options
  /** Of each scorer that is at it, whether that is still wanted. */
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
        return await thread.call('score', [scorer, range, userFormatsInForce()])
      } finally {
        runs.delete(scorer)
        signal.throwIfAborted()
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
