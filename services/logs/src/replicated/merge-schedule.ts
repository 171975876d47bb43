/** When to look whether segments are worth merging. */
export type MergeSchedule = Disposable & {
  /** A segment of this replica was committed. */
  committed: () => void
  /** Another replica has the task for so long. */
  taken: (milliseconds: number) => void
}

/** Segments are looked through when none has been committed for so long, or so many have been since the last look. */
const quietMilliseconds = 500
const commitsPerLook = 64

/** Calls `look` in quiet moments, and now and then where there are none; not after it was disposed. */
export const createMergeSchedule = (look: () => void): MergeSchedule => {
  let commits = 0
  let waiting: NodeJS.Timeout | undefined
  let isOver = false
  const lookNow = () => {
    commits = 0
    if (!isOver) look()
  }
  const lookIn = (milliseconds: number) => {
    clearTimeout(waiting)
    if (isOver) return
    waiting = setTimeout(lookNow, milliseconds)
    waiting.unref()
  }
  return {
    committed: () => {
      if (++commits >= commitsPerLook) lookNow()
      else lookIn(quietMilliseconds)
    },
    taken: lookIn,
    [Symbol.dispose]: () => {
      isOver = true
      clearTimeout(waiting)
    },
  }
}
