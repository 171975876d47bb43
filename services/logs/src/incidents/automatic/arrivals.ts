import type { BranchDirectory } from '../../branches/directory.ts'

const branchMilliseconds = 2_000

/** Something that differs when entries have come in since, here or in a branch. Asking wakes no thread. */
export const createArrivalMark =
  (countHere: () => number, directory: Pick<BranchDirectory, 'active'> | undefined) => async (): Promise<string> => {
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
    return [countHere(), ...inBranches].join(' ')
  }
