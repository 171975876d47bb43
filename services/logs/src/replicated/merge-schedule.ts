/** Decides when to check whether segments are worth merging. */
export type MergeSchedule = Disposable & {
  /** Called when this replica has committed a segment. */
  committed: () => void
  /** Called when another replica holds the merge lease for this time. */
  taken: (milliseconds: number) => void
}

/** A check follows after this pause in commits, or after this many commits. */
const quietMilliseconds = 500
const commitsPerLook = 64

/** Calls `look` in pauses between commits, and periodically if there are none, until it is disposed. */
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
