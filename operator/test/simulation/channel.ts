/** A FIFO channel: values pushed on one side are iterated over on the other. */
export type Channel<T> = AsyncIterable<T> & {
  push: (value: T) => void
  /** Ends the iteration after the values pushed so far; with an error if one is passed. */
  end: (error?: unknown) => void
}

/** Creates a channel for one reader; `onLeave` is called once when the reader stops iterating. */
export const createChannel = <T>(onLeave: () => void): Channel<T> => {
  const values: T[] = []
  let ended: { error?: unknown } | undefined
  let wake: (() => void) | undefined
  const rouse = () => {
    wake?.()
    wake = undefined
  }
  return {
    push: (value) => {
      if (ended) return
      values.push(value)
      rouse()
    },
    end: (...error) => {
      ended ??= error.length > 0 ? { error: error[0] } : {}
      rouse()
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          for (let value = values.shift(); value !== undefined; value = values.shift()) yield value
          if (ended && 'error' in ended) throw ended.error
          if (ended) return
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      } finally {
        onLeave()
      }
    },
  }
}
