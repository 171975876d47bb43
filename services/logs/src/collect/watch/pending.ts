import { setTimeout as sleep } from 'node:timers/promises'

/** What has come and is not stored yet, and when that is to be done. */
export type Pending = {
  readonly lines: number
  /** Notes that something has changed, and by how many lines. */
  add: (path: string, lines: number) => void
  /** Notes that all is to be looked at, at the next occasion. */
  addAll: () => void
  /** Resolves when it is time to store, or to look; at once when the signal has aborted. */
  due: (lookAt: number, signal: AbortSignal) => Promise<void>
  /** What has changed, `undefined` for all there is; begins anew. */
  take: (isLook: boolean) => ReadonlySet<string> | undefined
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
    due: async (lookAt, signal) => {
      while (!signal.aborted && lines < maxLines) {
        const at = Math.min(lookAt, (since ?? Number.POSITIVE_INFINITY) + milliseconds)
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
    take: (isLook) => {
      const taken = isAll || isLook ? undefined : paths
      paths = new Set()
      isAll = false
      lines = 0
      since = undefined
      return taken
    },
  }
}
