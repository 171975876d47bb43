import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError, Status } from 'nice-grpc-common'

const attempts = 4
const firstPauseMilliseconds = 50

const unsent = ['No connection established', 'Failed to connect', 'Name resolution failed']

/** Nothing of such a call has left this process. */
const neverSent = (error: ClientError) =>
  error.code === Status.UNAVAILABLE && unsent.some((words) => error.details.includes(words))

/** The replica was lost, or let go of the connection, while it had the call. */
const wasLost = (error: ClientError) => error.code === Status.UNAVAILABLE

/**
 * Makes a call, and again where that is right: a call that never left may be repeated whatever it does, one whose
 * replica was lost only if it is safe. Pauses double from 50 ms, with jitter; the signal ends them.
 * `isAnswer` tells failures that the service itself answered with, which are final.
 */
export const callWithRetry = async <Value>(
  call: () => Promise<Value>,
  {
    isSafe,
    isAnswer,
    signal,
  }: { isSafe: boolean; isAnswer: (error: ClientError) => boolean; signal?: AbortSignal | undefined },
): Promise<Value> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const mayRepeat = error instanceof ClientError && !isAnswer(error) && (isSafe ? wasLost(error) : neverSent(error))
      if (!mayRepeat || attempt === attempts || signal?.aborted) throw error
      await sleep(firstPauseMilliseconds * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    }
  }
}
