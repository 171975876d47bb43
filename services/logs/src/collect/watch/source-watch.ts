import { addAbortListener } from '@trellis/kit/lifecycle'
import type { SourceEntry } from '../source-entry.ts'
import type { PendingLimits } from './pending.ts'

/** What follows one source. */
export type SourceWatch = {
  /** Lines that have come and are not stored yet. */
  readonly buffered: number
  /** Resolves when it has ended, after all that had come is stored. Never rejects. */
  done: Promise<void>
}

export type WatchOptions<Entry extends SourceEntry = SourceEntry> = {
  source: Entry
  limits: WatchLimits
  /** Aborted when it is to end; what has come is stored then. */
  closing: AbortSignal
  onStored: () => void
  onProblem: (error: unknown) => void
}

export type WatchLimits = PendingLimits & {
  /** How often all of a source is looked at, whether or not anything was told of it. */
  lookMilliseconds: number
  /** Before something that failed is tried again. */
  retryMilliseconds: number
  /** What is to be stored at the end may take so long; the rest is read at the next start. */
  closingMilliseconds: number
}

/** The flushes are the spec's: every 10 s or 100 lines. */
export const watchLimits: WatchLimits = {
  lines: 100,
  milliseconds: 10_000,
  lookMilliseconds: 10_000,
  retryMilliseconds: 10_000,
  closingMilliseconds: 5_000,
}

/** Aborted some time after another signal: what is under way then may still come to its end. */
export const abortedAfter = (closing: AbortSignal, milliseconds: number): Disposable & { signal: AbortSignal } => {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const unlink = addAbortListener(closing, () => {
    timer = setTimeout(() => controller.abort(new Error('There was no time for the rest.')), milliseconds)
    timer.unref()
  })
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      unlink()
      clearTimeout(timer)
    },
  }
}
