/** Weight of the latest run against those before it. */
const latestShare = 0.3

/** Expected duration of a run in seconds, from past durations, oldest first, weighing later ones more. Undefined without any. */
export const expectedSeconds = (took: readonly number[]): number | undefined =>
  took.reduce<number | undefined>(
    (mean, seconds) => (mean === undefined ? seconds : mean + latestShare * (seconds - mean)),
    undefined,
  )

/** Capacity and load: total slots, running and queued runs. */
export type Load = { readonly total: number; readonly running: number; readonly queued: number }

/**
 * How long a run that is requested now would wait, in seconds: zero if a slot is free, else until the slots have finished the
 * queued runs and one of the running ones. Null if that is unknown.
 */
export const estimatedWait = ({ total, running, queued }: Load, expected: number | undefined): number | null => {
  if (total > 0 && running < total && queued === 0) return 0
  if (total <= 0 || expected === undefined) return null
  return (expected * (queued + 1)) / total
}
