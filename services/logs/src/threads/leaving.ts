import type { Leaving } from '../search/leaving.ts'

/**
 * Runs a search in a thread for as long as somebody waits for it. The thread is told through shared memory, since it reads no messages
 * while it searches. Rejects with the signal's reason when it was aborted.
 */
export const whileAwaited = async <Result>(
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

/** The other end: what a search asks between its steps. */
export const leavingOf = (left: Int32Array | undefined): Leaving | undefined =>
  left && {
    throwIfAborted: () => {
      if (Atomics.load(left, 0) !== 0) throw new Error('Nobody waits for this search any more.')
    },
  }
