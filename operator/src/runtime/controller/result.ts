/** Outcome of a reconcile. */
export type Result =
  /** The actual state matches the desired state; reconcile again when something changes. */
  | { kind: 'done' }
  /** The actual state matches for now; reconcile again after this many milliseconds at the latest. */
  | { kind: 'requeueAfter'; milliseconds: number }
  /** The reconcile failed; retry with exponential backoff. */
  | { kind: 'retry'; error: Error }
  /** The reconcile cannot succeed until something changes; do not retry. */
  | { kind: 'terminal'; error: Error }

export const done: Result = { kind: 'done' }

export const requeueAfter = (milliseconds: number): Result => ({ kind: 'requeueAfter', milliseconds })

export const retry = (error: Error): Result => ({ kind: 'retry', error })

export const terminal = (error: Error): Result => ({ kind: 'terminal', error })
