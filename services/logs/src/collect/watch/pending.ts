import { setTimeout as sleep } from 'node:timers/promises'

/** Changes that are not stored yet, and when they are due. */
export type Pending = {
  readonly lines: number
  /** Adds a changed file, and the number of its new lines. */
  add: (path: string, lines: number) => void
  /** Marks all files as changed. */
  addAll: () => void
  /** Resolves when it is time to store or to poll; at once when the signal has aborted. */
  due: (pollAt: number, signal: AbortSignal) => Promise<void>
  /** Returns the changed files, `undefined` for all, and starts over. */
  take: (isPoll: boolean) => ReadonlySet<string> | undefined
}

export type PendingLimits = { lines: number; milliseconds: number }

/** Times are those of `performance.now()`. */
export const createPending = ({ lines: maxLines, milliseconds }: PendingLimits): Pending => {
  let paths = new Set<string>()
  let isAll = false
  let lines = 0
  let since: number | undefined
  let changed = Promise.withResolvers<void>()
  const wake = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const note = () => {
    since ??= performance.now()
    wake()
  }
  return {
    get lines() {
      return lines
    },
    add: (path, more) => {
      paths.add(path)
      lines += more
      note()
    },
    addAll: () => {
      isAll = true
      note()
    },
    due: async (pollAt, signal) => {
      while (!signal.aborted && lines < maxLines) {
        const at = Math.min(pollAt, (since ?? Number.POSITIVE_INFINITY) + milliseconds)
        const left = at - performance.now()
        if (left <= 0) return
        const waiting = new AbortController()
        const either = AbortSignal.any([signal, waiting.signal])
        await Promise.race([
          sleep(left, undefined, { signal: either, ref: false }).catch(() => undefined),
          changed.promise,
        ])
        waiting.abort()
      }
    },
    take: (isPoll) => {
      const taken = isAll || isPoll ? undefined : paths
      paths = new Set()
      isAll = false
      lines = 0
      since = undefined
      return taken
    },
  }
}
