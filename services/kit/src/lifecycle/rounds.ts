import { setTimeout as sleep } from 'node:timers/promises'
import { childAbortController } from './child-abort-controller.ts'

/** Background work; disposal waits for the round under way, so the signal must abort first. */
export type Rounds = AsyncDisposable & {
  /** Starts the next round without waiting for its time. */
  readonly wake: () => void
  /** Resolves when the last round has ended after the signal has aborted. */
  readonly ended: Promise<void>
}

export type RoundsOptions = {
  /** The pause before each round; a function is called before each. */
  readonly milliseconds: number | (() => number)
  /** Whether the first round has no pause before it. */
  readonly startsAtOnce?: boolean
  readonly signal: AbortSignal
  readonly round: () => Promise<unknown>
  /** Called with what a round throws, unless the signal has aborted it. */
  readonly onFailure: (error: unknown) => void
}

/** Does work in rounds, with a pause before each, until the signal aborts. A failure is reported, and the next round follows. */
export const startRounds = ({
  milliseconds,
  startsAtOnce = false,
  signal,
  round,
  onFailure,
}: RoundsOptions): Rounds => {
  let isWoken = startsAtOnce
  let endPause = () => {}
  const pause = async () => {
    using pausing = childAbortController(signal)
    endPause = () => pausing.abort()
    const length = typeof milliseconds === 'number' ? milliseconds : milliseconds()
    if (!isWoken) await sleep(length, undefined, { signal: pausing.signal, ref: false }).catch(() => undefined)
    isWoken = false
  }
  const run = async () => {
    while (!signal.aborted) {
      await pause()
      if (signal.aborted) return
      try {
        await round()
      } catch (error) {
        if (!signal.aborted) onFailure(error)
      }
    }
  }
  const ended = run()
  return {
    wake: () => {
      isWoken = true
      endPause()
    },
    ended,
    [Symbol.asyncDispose]: () => ended,
  }
}
