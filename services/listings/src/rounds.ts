import { setTimeout as sleep } from 'node:timers/promises'
import { childAbortController } from '@trellis/kit/lifecycle'

/** Background work; disposal waits for the round under way, so the signal must abort first. */
export type Rounds = AsyncDisposable & {
  /** Starts the next round without waiting for its time. */
  readonly wake: () => void
}

export type RoundsOptions = {
  /** The pause before each round; a function is called before each. */
  readonly milliseconds: number | (() => number)
  readonly signal: AbortSignal
  readonly round: () => Promise<unknown>
  readonly onFailure: (error: unknown) => void
}

/** Does work in rounds, with a pause before each, until the signal aborts. A failure is reported, and the next round follows. */
export const startRounds = ({ milliseconds, signal, round, onFailure }: RoundsOptions): Rounds => {
  let isWoken = false
  let endPause = () => {}
  const run = async () => {
    while (!signal.aborted) {
      {
        using pause = childAbortController(signal)
        endPause = () => pause.abort()
        const length = typeof milliseconds === 'number' ? milliseconds : milliseconds()
        if (!isWoken) await sleep(length, undefined, { signal: pause.signal, ref: false }).catch(() => undefined)
      }
      isWoken = false
      if (!signal.aborted) await round().catch(onFailure)
    }
  }
  const running = run()
  return {
    wake: () => {
      isWoken = true
      endPause()
    },
    [Symbol.asyncDispose]: () => running,
  }
}
