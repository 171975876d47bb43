/** What a reconcile came to. */
export type Result =
  /** The actual state is the desired state; reconcile again when something changes. */
  | { kind: 'done' }
  /** It is as it should be for now; look again after so many milliseconds at the latest. */
  | { kind: 'requeueAfter'; milliseconds: number }
  /** It did not work; try again after a wait that grows with each failure. */
  | { kind: 'retry'; error: Error }
  /** It cannot work until somebody changes something. */
  | { kind: 'terminal'; error: Error }

export const done: Result = { kind: 'done' }

export const requeueAfter = (milliseconds: number): Result => ({ kind: 'requeueAfter', milliseconds })

export const retry = (error: Error): Result => ({ kind: 'retry', error })

export const terminal = (error: Error): Result => ({ kind: 'terminal', error })
