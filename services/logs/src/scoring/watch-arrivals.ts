import { startRounds } from '@trellis/kit/lifecycle'
import type { Scorer } from './scorer.ts'

export type WatchOptions = {
  scorers: readonly Pick<Scorer, 'round' | 'name'>[]
  /** A token that changes when entries have arrived on any node; read in every round. */
  arrivals: () => Promise<string>
  signal: AbortSignal
  onProblem: (scorer: string, error: unknown) => void
  roundMilliseconds?: number
}

/** New entries are scored within about this time. */
const defaultRoundMilliseconds = 5_000
/**
 * After a round, scoring pauses for this multiple of the round's duration: if more entries arrive than can be scored, storing and searching them has
 * priority. Longer pauses would make longer rounds, and the entries of a round are in memory.
 */
const restShare = 2
const longestRest = 30_000

/** Scores new entries until the signal aborts. While no entries arrive, it does nothing. */
export const watchArrivals = async (options: WatchOptions): Promise<void> => {
  const { scorers, arrivals, signal, onProblem, roundMilliseconds = defaultRoundMilliseconds } = options
  /** The arrivals token up to which each scorer has scored. Entries from before the start may be unscored, too. */
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
