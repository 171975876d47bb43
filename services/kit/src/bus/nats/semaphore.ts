/** Limits concurrency; callers beyond the limit wait in FIFO order. */
export const createSemaphore = (permits: number) => {
  let free = permits
  const line: (() => void)[] = []
  const leave = () => {
    const next = line.shift()
    if (next) next()
    else free += 1
  }
  /** Runs a function with one of the permits. */
  const withPermit = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await run()
    } finally {
      leave()
    }
  }
  return { withPermit }
}

export type Semaphore = ReturnType<typeof createSemaphore>

/** Runs functions of one name one after the other, in call order; those of different names run concurrently. */
export const createLanes = () => {
  const lanes = new Map<string, Promise<void>>()
  return <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    const turn = (lanes.get(name) ?? Promise.resolve()).then(run)
    const end = turn.then(
      () => undefined,
      () => undefined,
    )
    lanes.set(name, end)
    void end.then(() => {
      if (lanes.get(name) === end) lanes.delete(name)
    })
    return turn
  }
}
