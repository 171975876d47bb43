import type { RpcClient } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import type { BranchDirectoryServiceDefinition, BranchLocation } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'

export type BranchLocations = {
  /** The location of a branch; undefined for an unknown slug. */
  find: (slug: string) => Promise<BranchLocation | undefined>
  /** Invalidates a location that turned out to be wrong: the next `find` waits for a refresh. */
  invalidate: (slug: string) => void
}

export type BranchLocationsOptions = {
  directory: RpcClient<typeof BranchDirectoryServiceDefinition>
  /** Answers older than this are refreshed in the background. */
  freshMilliseconds?: number
  /** Time limit of a refresh. */
  waitMilliseconds?: number
  log: Log
}

/**
 * Caches the locations of branches from the logs service. Known locations are returned at once, and refreshed in the background when stale;
 * only for a slug that is unknown, inactive or invalidated does `find` wait. While the logs service is unavailable, the last answer is used.
 */
export const createBranchLocations = (options: BranchLocationsOptions): BranchLocations => {
  const { directory, freshMilliseconds = 3_000, waitMilliseconds = 2_000, log } = options
  let known = new Map<string, BranchLocation>()
  const invalidated = new Set<string>()
  let answeredAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  const load = async () => {
    // The answer may be older than an invalidation during the request, so only earlier ones are cleared.
    const invalidatedBefore = [...invalidated]
    try {
      const { branches } = await directory.locateBranches(
        {},
        { signal: AbortSignal.timeout(waitMilliseconds), isSafe: true },
      )
      known = new Map(branches.map((branch) => [branch.slug, branch]))
      for (const slug of invalidatedBefore) invalidated.delete(slug)
      answeredAt = performance.now()
    } catch (error) {
      log.warn({ err: error, known: known.size }, 'branches: locations not refreshed, using the last ones')
    }
  }
  const refresh = (): Promise<void> => {
    const mine = (refreshing ?? load()).finally(() => {
      if (refreshing === mine) refreshing = undefined
    })
    refreshing = mine
    return mine
  }
  return {
    find: async (slug) => {
      const found = known.get(slug)
      if (found?.active && !invalidated.has(slug)) {
        if (performance.now() - answeredAt > freshMilliseconds) void refresh()
        return found
      }
      await refresh()
      return known.get(slug)
    },
    invalidate: (slug) => void invalidated.add(slug),
  }
}
