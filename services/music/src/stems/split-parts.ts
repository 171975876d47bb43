/**
 * Divides a sequence of tuples into one sequence per position, to be consumed concurrently and at the same pace: the next tuple
 * is read when all consumers wait for it, so no more than one is in memory. When one consumer leaves early, the others fail.
 */
export const splitParts = <Part>(source: AsyncIterable<readonly Part[]>, count: number): AsyncIterable<Part>[] => {
  const iterator = source[Symbol.asyncIterator]()
  type Waiting = { position: number; resolve: (result: IteratorResult<Part>) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let failure: { error: unknown } | undefined

  const fail = (error: unknown) => {
    if (failure) return
    failure = { error }
    for (const { reject } of waiting) reject(error)
    waiting = []
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }

  const advance = async () => {
    try {
      const next = await iterator.next()
      const ready = waiting
      waiting = []
      for (const { position, resolve } of ready) {
        const part = next.done ? undefined : next.value[position]
        resolve(part === undefined ? { done: true, value: undefined } : { done: false, value: part })
      }
    } catch (error) {
      fail(error)
    }
  }

  return Array.from({ length: count }, (_, position) => ({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (failure) return Promise.reject(failure.error)
        const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Part>>()
        waiting.push({ position, resolve, reject })
        if (waiting.length === count) void advance()
        return promise
      },
      return: async () => {
        fail(new Error('A consumer of the parts has left.'))
        return { done: true, value: undefined }
      },
    }),
  }))
}
