import { invalidField, serviceError } from '@trellis/kit/errors'
import { type Call, type Handlers, type Implementation, implementation } from '@trellis/kit/rpc'
import { BranchDirectoryServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/branch.ts'
import type { LogsServiceDefinition, OrchardBranch } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import type { Branch } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { isUsable } from '../entries/usable-id.ts'
import type { BranchDirectory } from './directory.ts'
import { noBranch, slugOf } from './slug.ts'
import { within } from './within.ts'

type OrchardHandlers = Pick<
  Handlers<typeof LogsServiceDefinition>,
  'graftBranch' | 'listBranches' | 'deactivateBranch' | 'activateBranch' | 'anonymizeBranch'
>

const slugShape = /^[a-z0-9-]{1,40}$/
const defaultRetentionDays = 30
/** How long a list waits for the current counts of a branch. */
const countMilliseconds = 1_000

const submitEndpoint = (slug: string, { origin }: Call): string =>
  `${origin ?? ''}/logs/branches/${slug}/api/glean/batch`

const stateOf = ({ active }: Branch): string => (active ? 'active' : 'inactive')

/** The directory; throws `unavailable` without one. */
const required = (directory: BranchDirectory | undefined): BranchDirectory => {
  if (directory) return directory
  throw serviceError('unavailable', 'Branches are not available: WORKLOADS_ADDRESS is not set on the server.')
}

/** The API of branches. It forwards changes to the service that runs them. */
export const orchardRpc = (configured: BranchDirectory | undefined): OrchardHandlers => {
  const shown = async (branch: Branch, call: Call): Promise<OrchardBranch> => {
    const { slug, label, port, dataDir, createdAt } = branch
    const { entryCount, lastSeen } = branch.active ? await countsOf(branch, call) : branch
    return {
      slug,
      label,
      port,
      state: stateOf(branch),
      submitEndpoint: submitEndpoint(slug, call),
      dataDir,
      entryCount: entryCount ?? null,
      lastSeen: lastSeen ?? null,
      createdAt,
    }
  }
  const countsOf = async (branch: Branch, { signal }: Call): Promise<Pick<Branch, 'entryCount' | 'lastSeen'>> => {
    try {
      const client = (await required(configured).active()).find(({ slug }) => slug === branch.slug)?.client
      if (!client) return branch
      return await within(countMilliseconds, signal, (limited) =>
        client.countEntries({}, { signal: limited, isSafe: true }),
      )
    } catch {
      // The counts that it last reported are better than none.
      return branch
    }
  }
  return {
    graftBranch: async ({ label, slug: requestedSlug, tenantId, retentionDays, storage, anonymize }, call) => {
      const { service } = required(configured)
      for (const [field, text] of Object.entries({ label, tenant_id: tenantId ?? '' }))
        if (!isUsable(text)) throw invalidField(['body', field], 'must not have control characters or broken Unicode')
      const slug = requestedSlug ?? slugOf(label)
      if (label.trim() === '' && slug === undefined)
        throw invalidField(['body', 'label'], 'is required where there is no slug')
      if (slug === undefined || !slugShape.test(slug))
        throw invalidField(['body', 'slug'], 'is needed where the label has no letter a-z and no digit')
      if (slug === noBranch)
        throw invalidField(
          ['body', 'slug'],
          `must be another: "${noBranch}" is the search filter for entries without a branch`,
        )
      const { branch, apiKey } = await service.graftBranch({
        slug,
        label: label === '' ? slug : label,
        tenantId: tenantId || null,
        retentionDays: retentionDays ?? defaultRetentionDays,
        storage: storage || null,
        anonymize: anonymize ?? false,
      })
      if (!branch) throw new TypeError('The service that runs branches responded without a branch.')
      return {
        slug: branch.slug,
        port: branch.port,
        state: stateOf(branch),
        submitEndpoint: submitEndpoint(branch.slug, call),
        apiKey,
      }
    },
    listBranches: async (_, call) => {
      const { branches } = await required(configured).service.listBranches({}, { isSafe: true })
      return { branches: await Promise.all(branches.map((branch) => shown(branch, call))) }
    },
    deactivateBranch: async ({ slug }) => {
      await required(configured).service.setBranchState({ slug, active: false })
      return {}
    },
    activateBranch: async ({ slug }, call) =>
      shown(await required(configured).service.setBranchState({ slug, active: true }), call),
    anonymizeBranch: async ({ slug }, { signal }) => {
      const directory = required(configured)
      const { branches } = await directory.service.listBranches({}, { isSafe: true })
      const known = branches.find((branch) => branch.slug === slug)
      if (!known) throw serviceError('not_found', `There is no branch "${slug}".`)
      if (!known.active) throw serviceError('conflict', `Branch "${slug}" is not active. Activate it first.`)
      const client = (await directory.active()).find((branch) => branch.slug === slug)?.client
      if (!client)
        throw serviceError('unavailable', `Branch "${slug}" cannot be reached just now.`, { retryAfterSeconds: 5 })
      return client.anonymizeEntries({}, { signal })
    },
  }
}

/** Provides the edge with the addresses at which branches receive batches. */
export const branchDirectoryRpc = (directory: BranchDirectory | undefined): Implementation =>
  implementation(BranchDirectoryServiceDefinition, {
    locateBranches: async () => ({
      branches: ((await directory?.known()) ?? []).map(({ slug, active, httpAddress }) => ({
        slug,
        active,
        httpAddress,
      })),
    }),
  })
