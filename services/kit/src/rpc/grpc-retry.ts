import { ClientError, Status } from 'nice-grpc-common'
import { retry } from '../retry/mod.ts'

const maxAttempts = 4
const backoff = { initial: 50, max: 400 }

/** grpc-js has no code for unsent calls, so they are recognized by its messages; a test covers these. */
const unsent = ['No connection established', 'Name resolution failed']

/** Whether nothing of the call has left this process. */
export const neverSent = (error: ClientError) =>
  error.code === Status.UNAVAILABLE && unsent.some((words) => error.details.includes(words))

/** How grpc-js words failures of a connection that it has no code for: one that its server abandons with an error or amid a call. */
const brokenConnection = ['triggered by internal client error', 'Call ended without gRPC status']

/**
 * Whether the replica was lost or closed the connection during the call. A server whose drain takes too long resets its calls, which
 * grpc-js reports as CANCELLED; a call that is cancelled by its own caller fails with an AbortError instead.
 */
export const wasLost = ({ code, details }: ClientError): boolean =>
  code === Status.UNAVAILABLE ||
  code === Status.CANCELLED ||
  (code === Status.INTERNAL && brokenConnection.some((words) => details.includes(words)))

/** How long a call retries an address that has never answered: DNS names lag behind pods that have just started. */
const firstContactMilliseconds = 10_000

export type Retry = {
  isSafe: boolean
  /** Whether the service itself answered with the error, which is final. */
  isAnswer: (error: ClientError) => boolean
  /** Whether the address has ever answered. */
  wasReached: boolean
  signal: AbortSignal
}

/**
 * Makes a call with retries: a call that was never sent is always retried, a call whose
 * replica was lost only if it is safe. Pauses grow from 50 to 400 ms, with jitter; the signal ends them.
 */
export const callWithRetry = <Value>(
  call: () => Promise<Value>,
  { isSafe, isAnswer, wasReached, signal }: Retry,
): Promise<Value> => {
  const waitsUntil = wasReached ? 0 : performance.now() + firstContactMilliseconds
  const isRetryable = (error: unknown, failures: number): boolean => {
    if (!(error instanceof ClientError) || isAnswer(error)) return false
    if (!(isSafe ? wasLost(error) : neverSent(error))) return false
    return failures < maxAttempts || (neverSent(error) && performance.now() < waitsUntil)
  }
  return retry({ backoff, isRetryable }, call, signal)
}
