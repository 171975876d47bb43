/** A semaphore with a fixed number of slots, taken in FIFO order. */
export type Slots = { readonly take: (signal: AbortSignal) => Promise<Disposable> }

/** Creates slots; waiting for one rejects when the signal aborts. */
export const createSlots = (count: number): Slots => {
  let free = count
  const waiting = new Set<() => void>()

  const release = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }

  const wait = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        waiting.delete(begin)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        waiting.delete(begin)
        reject(signal.reason)
      }
      waiting.add(begin)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    take: async (signal) => {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else await wait(signal)
      return { [Symbol.dispose]: release }
    },
  }
}
