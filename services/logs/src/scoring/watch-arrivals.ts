import { startRounds } from '@trellis/kit/lifecycle'
import type { Scorer } from './scorer.ts'

export type WatchOptions = {
  scorers: readonly Pick<Scorer, 'round' | 'name'>[]
  /** Differs when entries have come in since, wherever; asked in every round. */
  arrivals: () => Promise<string>
  signal: AbortSignal
  onProblem: (scorer: string, error: unknown) => void
  roundMilliseconds?: number
}

/** What has come in is scored within about so long. */
const defaultRoundMilliseconds = 5_000
/**
 * After a round there is none for so many times as long: where more comes in than can be looked at, keeping and finding it has precedence. Longer
 * rests make longer rounds, and all that a round looks at is in memory.
 */
const restShare = 2
const longestRest = 30_000

/** Scores what comes in for as long as the signal lets it; a service to which nothing comes is left alone. */
export const watchArrivals = async (options: WatchOptions): Promise<void> => {
  const { scorers, arrivals, signal, onProblem, roundMilliseconds = defaultRoundMilliseconds } = options
  /** By scorer, up to which arrival it has come. What came before the start may be unscored, too. */
  const done = new Map<string, string>()
  let restUntil = Number.NEGATIVE_INFINITY
  const round = async () => {
    const began = performance.now()
    if (began < restUntil) return
    const arrived = await arrivals()
    for (const scorer of scorers) {
      if (done.get(scorer.name) === arrived) continue
      try {
        if (await scorer.round(signal)) done.set(scorer.name, arrived)
      } catch (error) {
        if (!signal.aborted) onProblem(scorer.name, error)
      }
    }
    const ended = performance.now()
    restUntil = ended + Math.min(longestRest, (ended - began) * restShare)
  }
  await startRounds({
    milliseconds: roundMilliseconds,
    signal,
    round,
    onFailure: (error) => onProblem('all', error),
  }).ended
}
