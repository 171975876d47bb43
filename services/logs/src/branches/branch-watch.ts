import type { ActiveBranch, BranchDirectory } from './directory.ts'

/** Calls back whenever the active branches, or the ways to them, may have changed, until it is called off. */
export type OnBranches = (listener: () => void) => () => void

export type BranchWatchOptions = {
  directory: Pick<BranchDirectory, 'active'>
  /** Between two looks. */
  milliseconds?: number
}

const isSame = (one: readonly ActiveBranch[], other: readonly ActiveBranch[]): boolean =>
  one.length === other.length &&
  one.every(({ slug, client }, index) => slug === other[index]?.slug && client === other[index]?.client)

/** Looks at the directory with one timer for all listeners, and only while there are any. */
export const createBranchWatch = ({ directory, milliseconds = 2_000 }: BranchWatchOptions): OnBranches => {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let last: readonly ActiveBranch[] | undefined

  const look = async () => {
    const found = await directory.active()
    const isChanged = last === undefined || !isSame(last, found)
    last = found
    if (isChanged) for (const listener of [...listeners]) listener()
  }
  const lookLater = () => {
    timer = setTimeout(async () => {
      await look().catch(() => undefined)
      timer = undefined
      if (listeners.size > 0) lookLater()
    }, milliseconds)
    timer.unref()
  }
  return (listener) => {
    // What changed while nobody listened is not known: the first look calls back.
    if (listeners.size === 0) last = undefined
    listeners.add(listener)
    if (timer === undefined) lookLater()
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearTimeout(timer)
      timer = undefined
    }
  }
}
