/** The time a worker has for a job until it must say again that it is working on it. */
export const createLease = (milliseconds: number, renew: () => boolean) => {
  const late = new AbortController()
  const { promise: expired, reject } = Promise.withResolvers<never>()
  expired.catch(() => undefined)
  const expire = () => {
    const error = new Error('Not acknowledged in time.')
    late.abort(error)
    reject(error)
  }
  let timer = setTimeout(expire, milliseconds)
  let renewedAt = performance.now()
  return {
    /** Aborted when the job has been taken away. */
    signal: late.signal,
    /** Rejects then. */
    expired,
    /**
     * Extends the lease, unless it is over. The server is told four times a lease at most, so that a handler may say it
     * as often as it likes; when it cannot be told the lease runs on as it was, since the server's does.
     */
    working: () => {
      if (late.signal.aborted) return
      const now = performance.now()
      if (now - renewedAt > milliseconds / 4) {
        if (!renew()) return
        renewedAt = now
      }
      clearTimeout(timer)
      timer = setTimeout(expire, milliseconds)
    },
    end: () => clearTimeout(timer),
  }
}

/**
 * How long the server waits for word of a job: a little longer than its worker does, so that a worker that is alive
 * gives a late job back itself, with its reason and after the queue's pause. The server's own time is for workers that are gone.
 */
export const serverWait = (milliseconds: number): number => Math.ceil(milliseconds * 1.25) + 1_000
