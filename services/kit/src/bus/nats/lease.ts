/** A worker's lease on a job: it expires unless the handler renews it in time. */
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
    /** Aborted when the lease expires. */
    signal: late.signal,
    /** Rejects when the lease expires. */
    expired,
    /**
     * Extends the lease unless it has expired. The server is notified at most four times per lease, so that a handler may call this
     * as often as it likes. When the server cannot be notified the lease is not extended, because the server's lease is not either.
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
 * The server's acknowledgement time-out: a little longer than the worker's lease, so that a live worker
 * returns a late job itself, with its reason and after the queue's back-off. The server's time-out covers workers that are gone.
 */
export const serverWait = (milliseconds: number): number => Math.ceil(milliseconds * 1.25) + 1_000
