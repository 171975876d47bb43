import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError, Status } from 'nice-grpc-common'

const attempts = 4
const firstPauseMilliseconds = 50

/** grpc-js has no code for it: these are its words, which a test holds it to. */
const unsent = ['No connection established', 'Name resolution failed']

/** Nothing of such a call has left this process. */
export const neverSent = (error: ClientError) =>
  error.code === Status.UNAVAILABLE && unsent.some((words) => error.details.includes(words))

/** The replica was lost, or let go of the connection, while it had the call. */
const wasLost = (error: ClientError) => error.code === Status.UNAVAILABLE

/** How long a call waits for an address that nobody was ever reached at: names of pods that have just started lag behind them. */
const firstContactMilliseconds = 10_000

export type Retry = {
  isSafe: boolean
  /** Tells failures that the service itself answered with, which are final. */
  isAnswer: (error: ClientError) => boolean
  /** Whether anybody has ever answered at the address. */
  wasReached: boolean
  signal: AbortSignal
}

/**
 * Makes a call, and again where that is right: a call that never left may be repeated whatever it does, one whose
 * replica was lost only if it is safe. Pauses double from 50 to 400 ms, with jitter; the signal ends them.
 */
export const callWithRetry = async <Value>(
  call: () => Promise<Value>,
  { isSafe, isAnswer, wasReached, signal }: Retry,
): Promise<Value> => {
  const waitsUntil = wasReached ? 0 : performance.now() + firstContactMilliseconds
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ClientError) || isAnswer(error) || signal.aborted) throw error
      if (!(isSafe ? wasLost(error) : neverSent(error))) throw error
      const isWaiting = neverSent(error) && performance.now() < waitsUntil
      if (attempt >= attempts && !isWaiting) throw error
      const pause = firstPauseMilliseconds * 2 ** Math.min(attempt - 1, attempts - 1)
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
    }
  }
}
