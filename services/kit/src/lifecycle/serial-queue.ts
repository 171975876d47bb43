/** Pieces of work that are done one after the other, in the order in which they were asked for. */
export type SerialQueue = {
  /** Resolves or fails as the work does; a failure keeps nobody who comes after from their turn. */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Ends with the last piece that was asked for until now, and never fails. The same promise for as long as nothing more is asked for. */
  drain: () => Promise<unknown>
}

/** Work that is not for two at once gets turns of its own. Who asks without waiting for answers has to limit how many are waiting. */
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
