import type { BranchDirectory } from '../branches/directory.ts'

const branchMilliseconds = 2_000

export type ArrivalMarkOptions = {
  /** Counts the arrivals through this process. */
  countHere: () => number
  /** The version of the catalogue that replicas share: it also changes with arrivals through another replica, which may have died since. */
  version?: (() => Promise<number>) | undefined
  directory: Pick<BranchDirectory, 'active'> | undefined
}

/** A marker that differs once entries have arrived here, on another replica or in a branch. Computing it wakes no thread. */
export const createArrivalMark =
  ({ countHere, version, directory }: ArrivalMarkOptions) =>
  async (): Promise<string> => {
    const inBranches = await Promise.all(
      ((await directory?.active()) ?? []).map(async ({ slug, client }) => {
        try {
          const options = { signal: AbortSignal.timeout(branchMilliseconds), isSafe: true }
          return `${slug}=${(await client?.countEntries({}, options))?.entryCount ?? ''}`
        } catch {
          // The branch is unreachable; its new entries show in the marker once it is back.
          return `${slug}=`
        }
      }),
    )
    return [countHere(), (await version?.()) ?? '', ...inBranches].join(' ')
  }
