import type { Handling, QueueRules } from '../bus/mod.ts'
import { type RetryOptions, retrying } from './retrying.ts'

/** How often the lease is renewed per acknowledgement time-out. */
const signsOfLife = 4

export type RetriedHandling = Omit<RetryOptions, 'signal'> & {
  queue: Pick<QueueRules, 'acknowledgeWithinMilliseconds'>
  handling: Handling
}

/**
 * Handles a job within one delivery, however long it takes. While a server that the handler depends on is down
 * (`unavailable`), the attempt is retried, so that an outage does not count as a failed delivery. The job stays leased meanwhile.
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
