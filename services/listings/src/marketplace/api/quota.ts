import type { ApiQuota } from '../adapter.ts'

/** Minimum interval between two readings of the quota by one worker, in milliseconds. */
const interval = 10 * 60_000

/**
 * Reads the quota at most once in ten minutes; in between, and if it cannot be read, returns null. It costs a call of its own,
 * and a search does not fail without it.
 */
export const createQuotaReader = (now: () => number) => {
  let readAt = Number.NEGATIVE_INFINITY
  return async (read: () => Promise<ApiQuota | null>): Promise<ApiQuota | null> => {
    if (now() - readAt < interval) return null
    readAt = now()
    try {
      return await read()
    } catch {
      return null
    }
  }
}
