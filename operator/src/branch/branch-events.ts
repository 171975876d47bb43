import type { Bus } from '@trellis/kit/bus'
import { branchEvents } from '@trellis/kit/workloads'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { type Branch, type BranchStatus, branches } from '../crds/mod.ts'
import { isPaused } from '../runs/mod.ts'
import { type Client, isBeingDeleted, isConflict, isNotFound, type Store, secondsTime } from '../runtime/mod.ts'
import { slugIndex } from './dependencies.ts'
import { slugHolder } from './slug.ts'

/**
 * What a notice changes in a status; undefined where nothing. Notices may come late and out of order: one that knows of
 * nothing newer than the status does is an old one.
 */
export const noticedChanges = (
  { status }: Branch,
  { entryCount, lastSeen }: BranchEvent,
): Partial<BranchStatus> | undefined => {
  const seenAt = lastSeen ? Date.parse(lastSeen) : Number.NaN
  const seen = Number.isNaN(seenAt) ? undefined : secondsTime(seenAt)
  if (status.lastSeen !== undefined && (seen === undefined || seen < status.lastSeen)) return undefined
  if (status.entryCount === entryCount && status.lastSeen === seen) return undefined
  return { entryCount, ...(seen === undefined ? {} : { lastSeen: seen }) }
}

/** Notices that are written at a time. */
const concurrency = 4

/** How often a notice is judged again by the branch of the server, where the one at hand was out of date. */
const maxConflicts = 5

/**
 * Writes a notice into the status of a branch as it was read, and only onto that: two notices at a time would both be newer than a
 * status that neither has changed yet, and the older one might be written last.
 */
export const writeEvent = async (
  client: Client,
  known: Branch,
  event: BranchEvent,
  signal: AbortSignal,
): Promise<void> => {
  let branch = known
  for (let conflicts = 0; ; conflicts += 1) {
    if (isBeingDeleted(branch) || isPaused(branch)) return
    const status = noticedChanges(branch, event)
    if (!status) return
    const { resourceVersion } = branch.metadata
    const patch = { type: 'merge', body: { metadata: { resourceVersion }, status } } as const
    try {
      await client.patch(branches, branch.metadata, patch, { subresource: 'status', signal })
      return
    } catch (error) {
      if (!isConflict(error) || conflicts === maxConflicts) throw error
    }
    branch = await client.get(branches, branch.metadata, { signal })
  }
}

/**
 * Writes what branches tell of themselves into their statuses, until the signal; for the one that leads. A notice is
 * acknowledged when the status says it, or when there is nobody to say it of.
 */
export const handleBranchEvents = (
  { bus, client, store }: { bus: Bus; client: Client; store: Store<Branch> },
  signal: AbortSignal,
): Promise<void> =>
  bus.work(
    branchEvents,
    async ({ value }, handling) => {
      const sameSlug = store.by(slugIndex, value.slug)
      const branch = sameSlug.find((one) => !slugHolder(one, sameSlug))
      if (!branch) return
      try {
        await writeEvent(client, branch, value, handling.signal)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
    { concurrency, signal },
  )
