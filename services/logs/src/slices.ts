import { setImmediate } from 'node:timers/promises'

/** Long work in small pieces, so that whoever waits for the thread waits for one piece at most. */
export type Slices = {
  /** Whether the piece at hand has taken long enough. Asked apart from the pause: waiting for nothing costs more than asking. */
  isOver: () => boolean
  /** Lets all others have their turn; the next piece begins then. */
  pause: () => Promise<void>
}

export const createSlices = (milliseconds: number): Slices => {
  let began = performance.now()
  return {
    isOver: () => performance.now() - began >= milliseconds,
    pause: async () => {
      await setImmediate()
      began = performance.now()
    },
  }
}
