import { stemsFolder } from '../audio/files-layout.ts'
import { deleteLeftover } from '../chains/leftovers.ts'
import { removeOwnerFiles } from '../chains/remove-files.ts'
import { findNode } from '../chains/store.ts'
import type { Dependencies } from '../dependencies.ts'
import { findStems } from './store.ts'

/**
 * Removes stem files of a node that no row refers to: of attempts that failed, were cancelled or lost, and all of them if the
 * node was removed. The files are listed before the row is read, so those of an attempt that begins meanwhile remain.
 */
export const cleanUpStems = async ({ db, files }: Dependencies, nodeId: string): Promise<void> => {
  const found: string[] = []
  for await (const { key } of files.list(`${stemsFolder(nodeId)}/`)) found.push(key)
  const folder = (await findStems(db, nodeId))?.folder
  for (const key of found) if (!folder || !key.startsWith(`${folder}/`)) await files.remove(key)
  if (await findNode(db, nodeId)) return
  await removeOwnerFiles(files, nodeId)
  await deleteLeftover(db, nodeId)
}
