import type { ActiveBranch, BranchDirectory } from './directory.ts'

/** Subscribes to possible changes of the active branches or of their addresses; returns the unsubscribe function. */
export type OnBranches = (listener: () => void) => () => void

export type BranchWatchOptions = {
  directory: Pick<BranchDirectory, 'active'>
  /** The polling interval. */
  milliseconds?: number
}

const isSame = (one: readonly ActiveBranch[], other: readonly ActiveBranch[]): boolean =>
  one.length === other.length &&
  one.every(({ slug, client }, index) => slug === other[index]?.slug && client === other[index]?.client)

/** Polls the directory with one timer for all listeners, and only while it has listeners. */
export const createBranchWatch = ({ directory, milliseconds = 2_000 }: BranchWatchOptions): OnBranches => {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let last: readonly ActiveBranch[] | undefined

  const poll = async () => {
    const found = await directory.active()
    const isChanged = last === undefined || !isSame(last, found)
    last = found
    if (isChanged) for (const listener of [...listeners]) listener()
  }
  const pollLater = () => {
    timer = setTimeout(async () => {
      await poll().catch(() => undefined)
      timer = undefined
      if (listeners.size > 0) pollLater()
    }, milliseconds)
    timer.unref()
  }
  return (listener) => {
    // Changes while there was no listener are unknown, so the first poll notifies.
    if (listeners.size === 0) last = undefined
    listeners.add(listener)
    if (timer === undefined) pollLater()
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearTimeout(timer)
      timer = undefined
    }
  }
}
