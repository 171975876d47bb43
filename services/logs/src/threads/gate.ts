/** Room that is shared by those who bring bytes. */
export type Gate = {
  /** Resolves when there is room; one that is larger than all the room goes in alone. First come, first in. */
  enter: (bytes: number) => Promise<void>
  leave: (bytes: number) => void
}

/** Lets bytes in while there is room for them. */
export const createGate = (room: number): Gate => {
  let inside = 0
  const queue: { bytes: number; open: () => void }[] = []
  const admit = () => {
    for (let next = queue[0]; next && (inside === 0 || inside + next.bytes <= room); next = queue[0]) {
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
