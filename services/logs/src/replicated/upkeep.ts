import type { Files } from '@trellis/kit/files'
import { segmentPrefix } from './build-segment.ts'
import { inboxPrefix } from './sender.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'

export type UpkeepOptions = {
  catalogue: SharedCatalogue
  files: Pick<Files, 'list' | 'remove'>
  replica: string
  /** How long a replaced segment stays readable for replicas that have not received the change. */
  graceMilliseconds: number
  now: () => number
}

/** The interval between two sweeps for files without a segment row; a younger file may be committed soon. */
const sweepMilliseconds = 3_600_000
const receiptMilliseconds = 3_600_000
/** A large message waits in its file for as long as its indexing may be delayed. */
const inboxMilliseconds = 7 * 86_400_000
const leaseMilliseconds = 5 * 60_000

/** Removes obsolete files and rows. One replica at a time does so, but concurrent runs are safe. */
export const createUpkeep = ({ catalogue, files, replica, graceMilliseconds, now }: UpkeepOptions) => {
  let sweptAt = Number.NEGATIVE_INFINITY

  const removeReplaced = async () => {
    const keys = await catalogue.replacedBefore(now() - graceMilliseconds)
    for (const key of keys) await files.remove(key)
    await catalogue.deleteReplaced(keys)
  }
  /** Removes files that a killed replica wrote and did not commit. */
  const sweep = async () => {
    const known = new Set((await catalogue.changes(undefined))?.added.map(({ key }) => key))
    for await (const { key, modifiedAt } of files.list(segmentPrefix)) {
      if (known.has(key) || now() - modifiedAt.getTime() < sweepMilliseconds) continue
      // Condemning adds a row that blocks a late commit; it fails for keys of active and replaced segments.
      if (await catalogue.condemn(key)) await files.remove(key)
    }
    for await (const { key, modifiedAt } of files.list(inboxPrefix)) {
      if (now() - modifiedAt.getTime() > inboxMilliseconds) await files.remove(key)
    }
  }
  return {
    /** One round; does nothing while another replica holds the lease. */
    run: async (): Promise<void> => {
      if (!(await catalogue.leases.keep('upkeep', replica, leaseMilliseconds))) return
      await removeReplaced()
      await catalogue.deleteFoldedBefore(now() - graceMilliseconds)
      await catalogue.deleteReceiptsBefore(now() - receiptMilliseconds)
      if (performance.now() - sweptAt < sweepMilliseconds) return
      sweptAt = performance.now()
      await sweep()
    },
  }
}
