import type { RpcClient } from '@trellis/kit/rpc'
import type { Log } from '@trellis/kit/telemetry'
import type { BranchDirectoryServiceDefinition, BranchLocation } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'

export type BranchLocations = {
  /** Where a branch is; undefined where there is none of that slug. */
  find: (slug: string) => Promise<BranchLocation | undefined>
  /** What was said of a branch turned out wrong: the next to ask for it waits for a new answer. */
  doubt: (slug: string) => void
}

export type BranchLocationsOptions = {
  directory: RpcClient<typeof BranchDirectoryServiceDefinition>
  /** An answer is asked for anew when it is older. */
  freshMilliseconds?: number
  /** How long somebody waits for an answer. */
  waitMilliseconds?: number
  log: Log
}

/**
 * Where branches are, as the logs service last said. What is known is used at once, and asked for anew behind it when it is old; only for a slug that
 * is not known, not active or doubted somebody waits. While the logs service is away, the last answer stands.
 */
export const createBranchLocations = (options: BranchLocationsOptions): BranchLocations => {
  const { directory, freshMilliseconds = 3_000, waitMilliseconds = 2_000, log } = options
  let known = new Map<string, BranchLocation>()
  const doubted = new Set<string>()
  let answeredAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const ask = async () => {
    // What is doubted while the answer is on its way, the answer may be older than.
    const doubtedBefore = [...doubted]
    try {
      const { branches } = await directory.locateBranches(
        {},
        { signal: AbortSignal.timeout(waitMilliseconds), isSafe: true },
      )
      known = new Map(branches.map((branch) => [branch.slug, branch]))
      for (const slug of doubtedBefore) doubted.delete(slug)
      answeredAt = performance.now()
    } catch (error) {
      log.warn({ err: error, known: known.size }, 'where branches are cannot be asked; the last answer stands')
    }
  }
  const refresh = (): Promise<void> => {
    const mine = (asking ?? ask()).finally(() => {
      if (asking === mine) asking = undefined
    })
    asking = mine
    return mine
  }
  return {
    find: async (slug) => {
      const found = known.get(slug)
      if (found?.active && !doubted.has(slug)) {
        if (performance.now() - answeredAt > freshMilliseconds) void refresh()
        return found
      }
      await refresh()
      return known.get(slug)
    },
    doubt: (slug) => void doubted.add(slug),
  }
}
