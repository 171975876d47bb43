import { serviceError } from '@trellis/kit/errors'
import { addAbortListener } from '@trellis/kit/lifecycle'

/** A write in progress, shared by all callers that wait for it. */
type Writing = { readonly done: Promise<void>; readonly stop: AbortController; waiting: number }

export type WriteRequest = {
  readonly key: string
  readonly userId: string
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal
  readonly write: (signal: AbortSignal) => Promise<void>
}

const retrySeconds = 10

/** Waits for a write, or throws as soon as the caller has left. */
const unlessLeft = async (value: Promise<void>, signal: AbortSignal): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const release = addAbortListener(signal, () => reject(serviceError('conflict', 'The download was cancelled.')))
  try {
    await Promise.race([value, promise])
  } finally {
    release()
  }
}

/**
 * Writes files for callers: concurrent requests for the same file share one write, which stops when the last of them has
 * left, and the number of writes per user is limited. `ending` stops them all.
 */
export const createSharedWrites = ({ perUser, ending }: { perUser: number; ending: AbortSignal }) => {
  const writings = new Map<string, Writing>()
  const users = new Map<string, number>()

  const begin = ({ key, userId, write }: WriteRequest): Writing => {
    const running = users.get(userId) ?? 0
    if (running >= perUser) {
      throw serviceError(
        'rate_limited',
        `No more than ${perUser} of your files may be written at the same time: wait until one is ready.`,
        { retryAfterSeconds: retrySeconds },
      )
    }
    users.set(userId, running + 1)
    const stop = new AbortController()
    const done = write(AbortSignal.any([stop.signal, ending])).finally(() => {
      const left = (users.get(userId) ?? 1) - 1
      if (left === 0) users.delete(userId)
      else users.set(userId, left)
      if (writings.get(key) === writing) writings.delete(key)
    })
    const writing: Writing = { done, stop, waiting: 0 }
    // No caller may be waiting any more when it fails.
    done.catch(() => undefined)
    writings.set(key, writing)
    return writing
  }

  /** Waits until the file is written. Throws 429 beyond the user's limit, and the error of the write. */
  return async (request: WriteRequest): Promise<void> => {
    request.signal.throwIfAborted()
    const known = writings.get(request.key)
    const writing = known === undefined || known.stop.signal.aborted ? begin(request) : known
    writing.waiting += 1
    try {
      await unlessLeft(writing.done, request.signal)
    } finally {
      writing.waiting -= 1
      if (writing.waiting === 0) writing.stop.abort(new Error('No caller waits for the file.'))
    }
  }
}
