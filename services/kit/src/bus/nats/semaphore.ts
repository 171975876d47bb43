/** Lets so many in at once; the others wait in line. `enter` resolves to what must be called on leaving. */
export const createSemaphore = (places: number) => {
  let free = places
  const line: (() => void)[] = []
  const leave = () => {
    const next = line.shift()
    if (next) next()
    else free += 1
  }
  /** Runs something in one of the places. */
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

/** Runs things of one name one after the other, in the order in which they came; those of different names side by side. */
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
