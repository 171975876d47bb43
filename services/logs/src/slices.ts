import { setImmediate } from 'node:timers/promises'

/** Long work in small pieces, so that whoever waits for the thread waits for one piece at most. */
export type Slices = {
  /** Whether the piece at hand has taken long enough. Asked apart from the pause: waiting for nothing costs more than asking. */
  isOver: () => boolean
  /** Lets all others have their turn; the next piece begins then. */
  pause: () => Promise<void>
}

/** How long a piece of work may take, in ms. Whoever waits for a thread waits for one piece of each kind of work that it does. */
const milliseconds = {
  /** A search is what people wait for: longer pieces are fewer pauses. */
  search: 20,
  /** One that nobody waits for: whoever searches meanwhile comes next. */
  backgroundSearch: 8,
  /** An entry that is looked for by its id is waited for. */
  find: 20,
  /** Kinds are counted for pages and each diagnosis, along with searches; a search that comes meanwhile waits for little. */
  templates: 8,
}

/** `rest` gives others their turn: all of them once, unless told otherwise. */
export const createSlices = (work: keyof typeof milliseconds, rest: () => Promise<void> = setImmediate): Slices => {
  let began = performance.now()
  return {
    isOver: () => performance.now() - began >= milliseconds[work],
    pause: async () => {
      await rest()
      began = performance.now()
    },
  }
}
