/** Counts users; calls back when there has been none for `idleMilliseconds`. */
export const createIdleTracker = (idleMilliseconds: number, onIdle: () => void) => {
  let present = 0
  let idle: NodeJS.Timeout | undefined
  const leave = () => {
    present -= 1
    if (present === 0) idle = setTimeout(onIdle, idleMilliseconds).unref()
  }
  return {
    /** Counts a user until the signal aborts or the returned function is called, whichever comes first. */
    enter: (signal: AbortSignal): (() => void) => {
      clearTimeout(idle)
      present += 1
      let isIn = true
      const out = () => {
        signal.removeEventListener('abort', out)
        if (isIn) leave()
        isIn = false
      }
      if (signal.aborted) out()
      else signal.addEventListener('abort', out, { once: true })
      return out
    },
  }
}
