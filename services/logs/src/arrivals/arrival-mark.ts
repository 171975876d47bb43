import type { BranchDirectory } from '../branches/directory.ts'

const branchMilliseconds = 2_000

export type ArrivalMarkOptions = {
  /** Counts up with what comes in through this process. */
  countHere: () => number
  /** The version of the catalogue that replicas share: what came in through another, which may have died since. */
  version?: (() => Promise<number>) | undefined
  directory: Pick<BranchDirectory, 'active'> | undefined
}

/** Something that differs when entries have come in since, here, at another replica or in a branch. Asking wakes no thread. */
export const createArrivalMark =
  ({ countHere, version, directory }: ArrivalMarkOptions) =>
  async (): Promise<string> => {
    const inBranches = await Promise.all(
      ((await directory?.active()) ?? []).map(async ({ slug, client }) => {
        try {
          const asked = { signal: AbortSignal.timeout(branchMilliseconds), isSafe: true }
          return `${slug}=${(await client?.countEntries({}, asked))?.entryCount ?? ''}`
        } catch {
          // It is away; what it has by then is seen when it is back.
          return `${slug}=`
        }
      }),
    )
    return [countHere(), (await version?.()) ?? '', ...inBranches].join(' ')
  }
