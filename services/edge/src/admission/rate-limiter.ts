/** A refused caller may come again after this time. */
export type Refusal = { retryAfterSeconds: number }

export type RateLimiterOptions = {
  /** Requests per minute that a caller may sustain, and may send at once after a quiet minute; 0 turns the limiter off. */
  perMinute: number
  /** Callers that are remembered; beyond that the least recent one is dropped. */
  maxCallers?: number
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/**
 * Token buckets by caller, as the generic cell rate algorithm: one number a caller, the time at which its bucket is full
 * again. Memory is bounded, nothing waits and no timer runs.
 */
export const createRateLimiter = ({
  perMinute,
  maxCallers = 50_000,
  now = () => performance.now(),
}: RateLimiterOptions) => {
  const windowMilliseconds = 60_000
  const interval = windowMilliseconds / perMinute
  /** By caller, least recently limited first. */
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
    /** Whether a request would be refused; takes nothing. */
    check: (caller: string): Refusal | undefined =>
      perMinute === 0 ? undefined : refusalAt(now(), fullAt.get(caller) ?? 0),
    /** Takes one request of the caller's, or refuses it. */
    take: (caller: string): Refusal | undefined => {
      if (perMinute === 0) return undefined
      const time = now()
      const known = fullAt.get(caller)
      const full = known === undefined || known < time ? time : known
      const refusal = refusalAt(time, full)
      if (refusal) return refusal
      // A known caller keeps its place: moving it for each request would cost more than an early eviction.
      if (known === undefined) store(caller, full + interval)
      else fullAt.set(caller, full + interval)
      return undefined
    },
    size: () => fullAt.size,
  }
}

export type RateLimiter = ReturnType<typeof createRateLimiter>
