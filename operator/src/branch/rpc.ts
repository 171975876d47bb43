import { serviceError } from '@trellis/kit/errors'
import type { Handlers } from '@trellis/kit/rpc'
import type { BranchesServiceDefinition, GraftBranchRequest } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { type Branch, branches } from '../crds/mod.ts'
import {
  type Client,
  type Clock,
  deterministicName,
  isAlreadyExists,
  isBeingDeleted,
  isInvalid,
  isNotFound,
  keyOf,
} from '../runtime/mod.ts'
import type { BranchSettings } from './children.ts'
import { type BranchStores, slugIndex } from './dependencies.ts'
import { ensureSecret, isOwnedBy, keyOfSecret } from './key.ts'
import { slugHolder, slugOf } from './slug.ts'
import { viewOf } from './view.ts'

export type BranchesRpcOptions = {
  /** Not the manager's client: every replica responds, also while another leads. */
  client: Client
  clock: Clock
  stores: BranchStores
  settings: BranchSettings
  /** Namespace of new branches. */
  namespace: string
  /** Milliseconds that a new branch has to get its key and its port; 20 s by default. */
  patience?: number
}

/** Polling interval in milliseconds. */
const pause = 100

/** A slug may start and end with a hyphen, the name of an object may not. */
const objectName = (slug: string): string =>
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(slug) ? slug : deterministicName([slug])

const draftOf = (request: GraftBranchRequest, namespace: string) => {
  const { slug, label, tenantId, retentionDays, storage, anonymize } = request
  return {
    apiVersion: 'trellis.dev/v1alpha1' as const,
    kind: 'Branch' as const,
    metadata: { name: objectName(slug), namespace },
    spec: {
      slug,
      ...(label ? { label } : {}),
      ...(tenantId ? { tenantId } : {}),
      ...(retentionDays ? { retentionDays } : {}),
      ...(storage ? { storage } : {}),
      anonymize,
    },
  }
}

const taken = (slug: string, cause?: unknown) =>
  serviceError('conflict', `There is a branch ${slug} already: choose another slug.`, { cause })

/** Serves branches as objects of the cluster to the logs service. Any replica responds. */
export const branchesRpc = (options: BranchesRpcOptions): Handlers<typeof BranchesServiceDefinition> => {
  const { client, clock, stores, settings, namespace, patience = 20_000 } = options

  const bySlug = (slug: string): Branch | undefined => {
    const sameSlug = stores.branches.by(slugIndex, slug)
    return sameSlug.find((branch) => !slugHolder(branch, sameSlug))
  }

  const create = async (request: GraftBranchRequest, signal: AbortSignal): Promise<Branch> => {
    try {
      // The response contains the defaults of the schema.
      return await client.create<Branch>(branches, draftOf(request, namespace) as never, { signal })
    } catch (error) {
      if (isAlreadyExists(error)) throw taken(request.slug, error)
      if (isInvalid(error)) throw serviceError('invalid', error.message, { cause: error })
      throw error
    }
  }

  /** Polls until there is a result or patience runs out. */
  const until = async <T>(look: () => Promise<T | undefined> | T | undefined, signal: AbortSignal) => {
    const end = clock.monotonic() + patience
    for (;;) {
      const found = await look()
      if (found !== undefined || clock.monotonic() >= end) return found
      await clock.sleep(pause, signal)
    }
  }

  /**
   * Returns the branch's key, which this process generates unless the leader was first. A former branch's Secret must
   * be gone first.
   */
  const keyFor = async (branch: Branch, signal: AbortSignal): Promise<string> => {
    const key = await until(async () => {
      const { secret } = await ensureSecret(client, branch, settings, { signal })
      return isOwnedBy(secret, branch) ? keyOfSecret(secret) : undefined
    }, signal)
    if (key !== undefined) return key
    const sentence = `The branch ${slugOf(branch)} was created, but resources of a former branch are still being removed. Its key will be in its Secret.`
    throw serviceError('unavailable', sentence, { retryAfterSeconds: 30 })
  }

  return {
    graftBranch: async (request, { signal }) => {
      if (bySlug(request.slug)) throw taken(request.slug)
      const made = await create(request, signal)
      const apiKey = await keyFor(made, signal)
      // A branch without a port yet is returned all the same; listings show the port later.
      const seen = await until(() => {
        const held = stores.branches.get(keyOf(made.metadata))
        return held?.metadata.uid === made.metadata.uid && held.status.port !== undefined ? held : undefined
      }, signal)
      return { branch: viewOf(seen ?? made, stores, settings), apiKey }
    },

    listBranches: async () => ({
      branches: stores.branches
        .list()
        .filter((branch) => !isBeingDeleted(branch) && bySlug(slugOf(branch)) === branch)
        .map((branch) => viewOf(branch, stores, settings))
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt, 'en') || a.slug.localeCompare(b.slug, 'en')),
    }),

    setBranchState: async ({ slug, active }, { signal }) => {
      const branch = bySlug(slug)
      const unknown = (cause?: unknown) => serviceError('not_found', `There is no branch ${slug}.`, { cause })
      if (!branch) throw unknown()
      const body = { metadata: { uid: branch.metadata.uid }, spec: { state: active ? 'Active' : 'Inactive' } }
      try {
        const changed = await client.patch(branches, branch.metadata, { type: 'merge', body }, { signal })
        return viewOf(changed, stores, settings)
      } catch (error) {
        if (isNotFound(error)) throw unknown(error)
        throw error
      }
    },
  }
}
