/** Listeners per signal. An AbortSignal itself scans all its listeners whenever one is added or removed. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>()

const listenersOf = (signal: AbortSignal): Set<() => void> => {
  const held = listeners.get(signal)
  if (held) return held
  const made = new Set<() => void>()
  listeners.set(signal, made)
  signal.addEventListener('abort', () => {
    for (const listener of [...made]) listener()
  })
  return made
}

/**
 * Calls back once when a signal aborts, or at once if it already has; returns a function that removes the listener. For long-lived
 * signals with many listeners: adding and removing are O(1).
 */
export const addAbortListener = (signal: AbortSignal, callback: () => void): (() => void) => {
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  const all = listenersOf(signal)
  const listener = () => {
    all.delete(listener)
    callback()
  }
  all.add(listener)
  return () => void all.delete(listener)
}

/** A controller that is also aborted with its parent signal, until it is disposed. */
export type ChildAbortController = Disposable & {
  readonly signal: AbortSignal
  abort: (reason?: unknown) => void
}

/**
 * Creates a controller that is linked to a longer-lived signal. For operations that start and end many times a second:
 * `AbortSignal.any` costs several times as much, and its signals stay attached to the parent until they are garbage-collected.
 */
export const childAbortController = (signal: AbortSignal): ChildAbortController => {
  const controller = new AbortController()
  const unlink = addAbortListener(signal, () => controller.abort(signal.reason))
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: unlink,
  }
}
