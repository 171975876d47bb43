/** Runs pieces of work one after the other, in FIFO order. */
export type SerialQueue = {
  /** Settles as the work does; a failure does not affect later work. */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Resolves after the last piece added so far, and never rejects. Returns the same promise until more work is added. */
  drain: () => Promise<unknown>
}

/** Serializes work. The queue is unbounded: callers that do not wait for results must limit how many pieces are pending. */
export const createSerialQueue = (): SerialQueue => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (work) => {
      const mine = last.then(work)
      last = mine.catch(() => undefined)
      return mine
    },
    drain: () => last,
  }
}
