import { nodeFile } from '../audio/files-layout.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Db } from '../store/tables.ts'
import { removeOwnerFiles } from './remove-files.ts'
import { findNode } from './store.ts'

/** Files of an owner without a row are nobody's after so long: uploads have arrived, and runs have ended. */
const LEFT_AFTER_MILLISECONDS = 24 * 3_600_000
const SWEPT_AT_ONCE = 200

/**
 * Notes, before the deed or in its transaction, that files of these nodes or chains may lie there without a row: an
 * upload is about to be stored, or a row to be removed. Whatever becomes of this process, they are seen to later.
 */
export const noteLeftovers = async (db: Db, ownerIds: readonly string[], now: Date): Promise<void> => {
  if (ownerIds.length === 0) return
  await db
    .insertInto('leftovers')
    .values(ownerIds.map((owner_id) => ({ owner_id, noted_at: now.getTime() })))
    .onConflict((conflict) => conflict.column('owner_id').doNothing())
    .execute()
}

/** Forgets a note: the files have their row, and none too many, or are gone. */
export const forgetLeftover = async (db: Db, ownerId: string): Promise<void> => {
  await db.deleteFrom('leftovers').where('owner_id', '=', ownerId).execute()
}

/** Removes the files of owners that were noted a day ago. A node that is there keeps all but its upload. */
export const sweepLeftovers = async ({ db, files, now }: Dependencies): Promise<void> => {
  const before = now().getTime() - LEFT_AFTER_MILLISECONDS
  const query = db.selectFrom('leftovers').select('owner_id').where('noted_at', '<', before)
  for (const { owner_id } of await query.orderBy('noted_at').limit(SWEPT_AT_ONCE).execute()) {
    if (await findNode(db, owner_id)) await files.remove(nodeFile(owner_id, 'upload'))
    else await removeOwnerFiles(files, owner_id)
    await forgetLeftover(db, owner_id)
  }
}
