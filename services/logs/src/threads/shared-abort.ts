import type { AbortCheck } from '../search/abort-check.ts'

/**
 * Runs a search in a thread until its signal aborts. The thread sees the abort through shared memory, because it processes no messages while it
 * searches. Rejects with the abort reason.
 */
export const withSharedAbort = async <Result>(
  signal: AbortSignal | undefined,
  search: (left: Int32Array | undefined) => Promise<Result>,
): Promise<Result> => {
  if (!signal) return search(undefined)
  signal.throwIfAborted()
  const left = new Int32Array(new SharedArrayBuffer(4))
  const leave = () => void Atomics.store(left, 0, 1)
  signal.addEventListener('abort', leave)
  try {
    return await search(left)
  } finally {
    signal.removeEventListener('abort', leave)
    signal.throwIfAborted()
  }
}

/** The thread's end: the check that a search makes between its steps. */
export const abortCheckOf = (left: Int32Array | undefined): AbortCheck | undefined =>
  left && {
    throwIfAborted: () => {
      if (Atomics.load(left, 0) !== 0) throw new Error('The caller of this search has disconnected.')
    },
  }
