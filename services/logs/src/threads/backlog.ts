/**
 * How many batches were handed over and are not kept yet, in memory that the parsing thread and the service's own share. Answers reach a
 * thread between its calls, behind whatever waits there: a thread that counted by them would take the other for busy long after it is idle.
 */
export type Backlog = Int32Array<SharedArrayBuffer>

export const createBacklog = (): Backlog => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

export const handOver = (backlog: Backlog): void => void Atomics.add(backlog, 0, 1)

export const waitingIn = (backlog: Backlog): number => Atomics.load(backlog, 0)

/** Makes a function that keeps a batch count it off when it is done, well or not. */
export const countingOff =
  <Args extends unknown[], Result>(backlog: Backlog, keep: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    try {
      return await keep(...args)
    } finally {
      Atomics.sub(backlog, 0, 1)
    }
  }
