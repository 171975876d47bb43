import { addAbortListener } from '@trellis/kit/lifecycle'
import type { SourceEntry } from '../source-entry.ts'
import type { PendingLimits } from './pending.ts'

/** The task that follows one source. */
export type SourceWatch = {
  /** Lines that have arrived and are not stored yet. */
  readonly buffered: number
  /** Resolves when it has ended, after all lines that had arrived are stored. Never rejects. */
  done: Promise<void>
}

export type WatchOptions<Entry extends SourceEntry = SourceEntry> = {
  source: Entry
  limits: WatchLimits
  /** Aborts when it must end; lines that have arrived are stored then. */
  closing: AbortSignal
  onStored: () => void
  /** Receives why it cannot be followed at the moment; it is tried again. */
  onProblem: (error: unknown) => void
  /** Called when it can be followed again, or still. */
  onFollowed: () => void
}

export type WatchLimits = PendingLimits & {
  /** The interval at which a whole source is polled, whether or not changes were reported. */
  pollMilliseconds: number
  /** The pause before a failed operation is tried again. */
  retryMilliseconds: number
  /** The maximum time for storing at the end; the rest is read at the next start. */
  closingMilliseconds: number
}

/** The flushes are specified: every 10 s or 100 lines. */
export const watchLimits: WatchLimits = {
  lines: 100,
  milliseconds: 10_000,
  pollMilliseconds: 10_000,
  retryMilliseconds: 10_000,
  closingMilliseconds: 5_000,
}

/** Aborts some time after another signal, so that work in progress may still end. */
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
