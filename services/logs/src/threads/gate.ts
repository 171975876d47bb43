/** A limit on bytes that senders share. */
export type Gate = {
  /** Resolves when there is room, in FIFO order; a request larger than the limit is admitted alone. */
  enter: (bytes: number) => Promise<void>
  leave: (bytes: number) => void
}

/** Admits up to `maxBytes` bytes. */
export const createGate = (maxBytes: number): Gate => {
  let inside = 0
  const queue: { bytes: number; open: () => void }[] = []
  const admit = () => {
    for (let next = queue[0]; next && (inside === 0 || inside + next.bytes <= maxBytes); next = queue[0]) {
      queue.shift()
      inside += next.bytes
      next.open()
    }
  }
  return {
    enter: (bytes) =>
      new Promise<void>((resolve) => {
        queue.push({ bytes, open: resolve })
        admit()
      }),
    leave: (bytes) => {
      inside -= bytes
      admit()
    },
  }
}
