import { setImmediate } from 'node:timers/promises'

/** Time slices of long work: other work of the thread waits for at most one slice. */
export type TimeSlices = {
  /** Whether the current slice has used its time. It is separate from `pause` because awaiting nothing costs more than this check. */
  isOver: () => boolean
  /** Lets other work of the thread run; the next slice begins afterwards. */
  pause: () => Promise<void>
}

/** Length of a slice in milliseconds. Other work of a thread waits for one slice of each kind of work in progress. */
const milliseconds = {
  /** A user waits for a search: longer slices mean fewer pauses. */
  search: 20,
  /** A search that no user waits for: an interactive search starts after a short slice. */
  backgroundSearch: 8,
  /** A user waits for the lookup of an entry by id. */
  find: 20,
  /** Templates are counted for pages and for each diagnosis, alongside searches, which must not wait long. */
  templates: 8,
}

/** `rest` lets other work run; by default all pending work once. */
export const createTimeSlices = (
  work: keyof typeof milliseconds,
  rest: () => Promise<void> = setImmediate,
): TimeSlices => {
  let began = performance.now()
  return {
    isOver: () => performance.now() - began >= milliseconds[work],
    pause: async () => {
      await rest()
      began = performance.now()
    },
  }
}
