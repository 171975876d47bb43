import { invalidField } from '@trellis/kit/errors'
import type { BranchDirectory } from './directory.ts'
import { noBranch } from './slug.ts'

/**
 * Throws `invalid` for a slug that no branch has, because a misspelt slug would silently find nothing. Returns the slug if its branch is not
 * active, since its entries are missing from the response.
 */
export type RequireBranch = (slug: string | undefined) => Promise<readonly string[]>

/** Without a directory there are no branches. While the list cannot be requested, any slug is accepted: the branch may be newer than the list. */
export const createRequireBranch =
  (directory: Pick<BranchDirectory, 'known' | 'isCurrent'> | undefined): RequireBranch =>
  async (slug) => {
    if (slug === undefined || slug === noBranch) return []
    const branches = directory ? await directory.known() : []
    const branch = branches.find((one) => one.slug === slug)
    if (branch) return branch.active ? [] : [slug]
    if (directory?.isCurrent() === false) return [slug]
    throw invalidField(
      ['query', 'branch'],
      `There is no branch "${slug}"; "${noBranch}" filters entries without a branch.`,
    )
  }
