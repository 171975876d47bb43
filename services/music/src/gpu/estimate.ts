/** How much the latest run counts among those before it. */
const LATEST_SHARE = 0.3

/** How long a run is expected to take, in seconds, by how long others took, oldest first: the latest count most. Undefined where none has. */
export const expectedSeconds = (took: readonly number[]): number | undefined =>
  took.reduce<number | undefined>(
    (mean, seconds) => (mean === undefined ? seconds : mean + LATEST_SHARE * (seconds - mean)),
    undefined,
  )

/** How runs stand: how many fit at once, run and wait. */
export type Load = { readonly total: number; readonly running: number; readonly queued: number }

/**
 * How long a run that is asked for now would wait, in seconds: not at all where a slot is free, else until the slots have
 * done with those that wait before it, and one of those that run. Null where that cannot be told.
 */
export const estimatedWait = ({ total, running, queued }: Load, expected: number | undefined): number | null => {
  if (total > 0 && running < total && queued === 0) return 0
  if (total <= 0 || expected === undefined) return null
  return (expected * (queued + 1)) / total
}
