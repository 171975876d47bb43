import type { Bus } from '@trellis/kit/bus'
import { branchEvents } from '@trellis/kit/workloads'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import { type Branch, type BranchStatus, branches } from '../crds/mod.ts'
import { isPaused } from '../runs/mod.ts'
import { type Client, isBeingDeleted, isConflict, isNotFound, type Store, secondsTime } from '../runtime/mod.ts'
import { slugIndex } from './dependencies.ts'
import { slugHolder } from './slug.ts'

/**
 * The status changes of a branch event; undefined if there are none. Events may arrive late and out of order: one with
 * an older `lastSeen` than the status is outdated.
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

/** Events written concurrently. */
const concurrency = 4

/** Maximum number of retries with the branch read from the server after a conflict. */
const maxConflicts = 5

/**
 * Writes an event into the status of a branch, conditional on the version that was read: two concurrent events would
 * both be newer than an unchanged status, and the older one might be written last.
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
 * Writes events of branches into their statuses until the signal; only for the leader. An event is acknowledged once
 * the status reflects it, or if its branch does not exist.
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
