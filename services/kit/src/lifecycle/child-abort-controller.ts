/** What is called when a signal aborts. A signal itself looks through all its listeners whenever one is added or removed. */
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
 * Calls back once when a signal aborts, at once if it has; gives what calls that off. For signals that live long and are
 * listened to by many: it costs the same whatever their number.
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

/** A controller that is aborted with another signal, too, until it is disposed of. */
export type ChildAbortController = Disposable & {
  readonly signal: AbortSignal
  abort: (reason?: unknown) => void
}

/**
 * Links what may be ended by itself to a signal that lives longer. For work that begins and ends many times a second:
 * `AbortSignal.any` costs several times as much, and what it makes stays with the longer signal until it is collected.
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
