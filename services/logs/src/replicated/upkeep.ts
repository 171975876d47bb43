import type { Files } from '@trellis/kit/files'
import { segmentPrefix } from './build-segment.ts'
import { inboxPrefix } from './sender.ts'
import type { SharedCatalogue } from './shared-catalogue.ts'

export type UpkeepOptions = {
  catalogue: SharedCatalogue
  files: Pick<Files, 'list' | 'remove'>
  replica: string
  /** How long a replaced segment can still be read by those who have not heard. */
  graceMilliseconds: number
  now: () => number
}

/** Files that no segment row names are looked for so often; one younger than this may be about to be named. */
const sweepMilliseconds = 3_600_000
const receiptMilliseconds = 3_600_000
/** A large message waits in its file for as long as its indexing may be held up. */
const inboxMilliseconds = 7 * 86_400_000
const leaseMilliseconds = 5 * 60_000

/** Removes what is not needed any more. One replica at a time does it, and it is right if two do. */
export const createUpkeep = ({ catalogue, files, replica, graceMilliseconds, now }: UpkeepOptions) => {
  let sweptAt = Number.NEGATIVE_INFINITY

  const removeReplaced = async () => {
    const keys = await catalogue.replacedBefore(now() - graceMilliseconds)
    for (const key of keys) await files.remove(key)
    await catalogue.forget(keys)
  }
  /** What a killed replica wrote and did not commit. */
  const sweep = async () => {
    const known = new Set((await catalogue.changes(undefined))?.added.map(({ key }) => key))
    for await (const { key, modifiedAt } of files.list(segmentPrefix)) {
      if (known.has(key) || now() - modifiedAt.getTime() < sweepMilliseconds) continue
      // A row of its own keeps a late commit out; one that was there already is a segment's, or one that was replaced.
      if (await catalogue.condemn(key)) await files.remove(key)
    }
    for await (const { key, modifiedAt } of files.list(inboxPrefix)) {
      if (now() - modifiedAt.getTime() > inboxMilliseconds) await files.remove(key)
    }
  }
  return {
    /** One round; does nothing while another replica has the task. */
    run: async (): Promise<void> => {
      if (!(await catalogue.leases.keep('upkeep', replica, leaseMilliseconds))) return
      await removeReplaced()
      await catalogue.forgetFolded(now() - graceMilliseconds)
      await catalogue.forgetReceipts(now() - receiptMilliseconds)
      if (performance.now() - sweptAt < sweepMilliseconds) return
      sweptAt = performance.now()
      await sweep()
    },
  }
}
