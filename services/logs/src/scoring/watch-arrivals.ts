import { inRounds } from '../cluster/rounds.ts'
import type { Scorer } from './scorer.ts'

export type WatchOptions = {
  scorers: readonly Pick<Scorer, 'round' | 'name'>[]
  /** Counts up as entries come in here. */
  arrivals: () => number
  /** Whether entries may come in where this process does not see it: in branches. */
  mayComeElsewhere: () => Promise<boolean>
  signal: AbortSignal
  onProblem: (scorer: string, error: unknown) => void
  roundMilliseconds?: number
  elsewhereMilliseconds?: number
}

/** What has come in is scored within about so long. */
const defaultRoundMilliseconds = 5_000
const defaultElsewhereMilliseconds = 60_000

/** Scores what comes in for as long as the signal lets it; a service to which nothing comes is left alone. */
export const watchArrivals = async (options: WatchOptions): Promise<void> => {
  const { scorers, arrivals, mayComeElsewhere, signal, onProblem } = options
  const { roundMilliseconds = defaultRoundMilliseconds, elsewhereMilliseconds = defaultElsewhereMilliseconds } = options
  /** By scorer, up to which arrival it has come. What came before the start may be unscored, too. */
  const done = new Map(scorers.map(({ name }) => [name, -1]))
  let lookedElsewhereAt = performance.now()

  const isElsewhereDue = async () => {
    if (performance.now() - lookedElsewhereAt < elsewhereMilliseconds) return false
    lookedElsewhereAt = performance.now()
    return mayComeElsewhere()
  }
  const round = async () => {
    const isDue = await isElsewhereDue()
    for (const scorer of scorers) {
      const count = arrivals()
      if (done.get(scorer.name) === count && !isDue) continue
      try {
        if (await scorer.round(signal)) done.set(scorer.name, count)
      } catch (error) {
        if (!signal.aborted) onProblem(scorer.name, error)
      }
    }
  }
  await inRounds(roundMilliseconds, signal, round, (error) => onProblem('all', error))
}
