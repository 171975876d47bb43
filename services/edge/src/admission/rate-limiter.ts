/** A rejected caller may retry after this time. */
export type Refusal = { retryAfterSeconds: number }

export type RateLimiterOptions = {
  /** Requests per minute that a caller may sustain, and may send in a burst after an idle minute; 0 disables the limiter. */
  perMinute: number
  /** Maximum tracked callers, past which the one added first is evicted. */
  maxCallers?: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/**
 * Token buckets per caller, with the generic cell rate algorithm: one number per caller, the time at which its bucket is full
 * again. Memory is bounded; there are no queues and no timers.
 */
export const createRateLimiter = ({
  perMinute,
  maxCallers = 50_000,
  now = () => performance.now(),
}: RateLimiterOptions) => {
  const windowMilliseconds = 60_000
  const interval = windowMilliseconds / perMinute
  /** By caller, in the order in which callers were added. */
  const fullAt = new Map<string, number>()

  const store = (caller: string, time: number): void => {
    fullAt.delete(caller)
    if (fullAt.size >= maxCallers) {
      const [oldest] = fullAt.keys()
      if (oldest !== undefined) fullAt.delete(oldest)
    }
    fullAt.set(caller, time)
  }
  const refusalAt = (time: number, full: number): Refusal | undefined => {
    const wait = full + interval - windowMilliseconds - time
    return wait > 0 ? { retryAfterSeconds: wait / 1_000 } : undefined
  }
  return {
    /** Whether a request would be rejected; consumes no token. */
    check: (caller: string): Refusal | undefined =>
      perMinute === 0 ? undefined : refusalAt(now(), fullAt.get(caller) ?? 0),
    /** Consumes a token of the caller, or rejects the request. */
    take: (caller: string): Refusal | undefined => {
      if (perMinute === 0) return undefined
      const time = now()
      const known = fullAt.get(caller)
      const full = known === undefined || known < time ? time : known
      const refusal = refusalAt(time, full)
      if (refusal) return refusal
      // A known caller is not moved to the end: that would cost more per request than an early eviction.
      if (known === undefined) store(caller, full + interval)
      else fullAt.set(caller, full + interval)
      return undefined
    },
    size: () => fullAt.size,
  }
}

export type RateLimiter = ReturnType<typeof createRateLimiter>
