import type { Handling, QueueRules } from '../bus/mod.ts'
import { type RetryOptions, retrying } from './retrying.ts'

/** How many times per acknowledgement time-out the queue is notified that its worker is alive. */
const signsOfLife = 4

export type RetriedHandling = Omit<RetryOptions, 'signal'> & {
  queue: Pick<QueueRules, 'acknowledgeWithinMilliseconds'>
  handling: Handling
}

/**
 * Handles a job of a queue within one delivery for as long as it takes. While a server that the handler depends on is away
 * (`unavailable`), the attempt is repeated: an outage does not count as a failed delivery. The job stays leased meanwhile.
 */
export const handleWithRetries = async <Result>(
  attempt: (isAgain: boolean) => Promise<Result>,
  { queue, handling, ...retry }: RetriedHandling,
): Promise<Result> => {
  const alive = setInterval(handling.working, queue.acknowledgeWithinMilliseconds / signsOfLife)
  try {
    return await retrying(attempt, { ...retry, signal: handling.signal })
  } finally {
    clearInterval(alive)
  }
}
