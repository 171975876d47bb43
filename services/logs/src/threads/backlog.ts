/**
 * The number of batches that the parser thread has sent and that are not stored yet, in memory that it shares with the service's main thread. A
 * counter updated by replies would lag: a thread receives replies between its calls, behind all queued messages, so the index thread would seem
 * busy long after it is idle.
 */
export type Backlog = Int32Array<SharedArrayBuffer>

export const createBacklog = (): Backlog => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

export const enterBacklog = (backlog: Backlog): void => void Atomics.add(backlog, 0, 1)

export const waitingIn = (backlog: Backlog): number => Atomics.load(backlog, 0)

/** Wraps a function that stores a batch: removes the batch from the backlog when it settles. */
export const leavingBacklog =
  <Args extends unknown[], Result>(backlog: Backlog, store: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    try {
      return await store(...args)
    } finally {
      Atomics.sub(backlog, 0, 1)
    }
  }
