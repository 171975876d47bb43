import { nodeFile } from '../audio/files-layout.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Db } from '../store/tables.ts'
import { removeOwnerFiles } from './remove-files.ts'
import { findNode } from './store.ts'

/** Age after which files of an owner without a row are orphaned: uploads have arrived and runs have ended by then. */
const leftAfterMilliseconds = 24 * 3_600_000
const sweptAtOnce = 200

/**
 * Records that files of these nodes or chains may exist without a row, before (or in the same transaction as) an upload is
 * stored or a row is removed. If this process dies, the sweep removes them later.
 */
export const noteLeftovers = async (db: Db, ownerIds: readonly string[], now: Date): Promise<void> => {
  if (ownerIds.length === 0) return
  await db
    .insertInto('leftovers')
    .values(ownerIds.map((owner_id) => ({ owner_id, noted_at: now.getTime() })))
    .onConflict((conflict) => conflict.column('owner_id').doNothing())
    .execute()
}

/** Deletes a record: the owner has its row and no surplus files, or its files are gone. */
export const deleteLeftover = async (db: Db, ownerId: string): Promise<void> => {
  await db.deleteFrom('leftovers').where('owner_id', '=', ownerId).execute()
}

/** Removes the files of owners that were recorded a day ago. Of an existing node it removes only the upload. */
export const sweepLeftovers = async ({ db, files, now }: Dependencies): Promise<void> => {
  const before = now().getTime() - leftAfterMilliseconds
  const query = db.selectFrom('leftovers').select('owner_id').where('noted_at', '<', before)
  for (const { owner_id } of await query.orderBy('noted_at').limit(sweptAtOnce).execute()) {
    if (await findNode(db, owner_id)) await files.remove(nodeFile(owner_id, 'upload'))
    else await removeOwnerFiles(files, owner_id)
    await deleteLeftover(db, owner_id)
  }
}
