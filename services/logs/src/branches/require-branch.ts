import { invalidField } from '@trellis/kit/errors'
import type { BranchDirectory } from './directory.ts'
import { noBranch } from './slug.ts'

/**
 * Throws `invalid` for a slug that no branch has: what is misspelt would find nothing, and nobody would know why. Gives the slug of a branch
 * that is not active, whose entries an answer is without.
 */
export type RequireBranch = (slug: string | undefined) => Promise<readonly string[]>

/** Without a directory there are no branches. While it cannot be asked, any slug is taken at its word: the branch may be newer than what is known. */
export const createRequireBranch =
  (directory: Pick<BranchDirectory, 'known' | 'isCurrent'> | undefined): RequireBranch =>
  async (slug) => {
    if (slug === undefined || slug === noBranch) return []
    const branches = directory ? await directory.known() : []
    const branch = branches.find((one) => one.slug === slug)
    if (branch) return branch.active ? [] : [slug]
    if (directory?.isCurrent() === false) return [slug]
    throw invalidField(['query', 'branch'], `There is no branch "${slug}"; "${noBranch}" asks for what is of none.`)
  }
