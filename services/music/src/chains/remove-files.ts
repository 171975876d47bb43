import type { Files } from '@trellis/kit/files'
import { deliveryFolder, nodeFolder } from '../audio/files-layout.ts'

export const removeFolder = async (files: Files, folder: string): Promise<void> => {
  for await (const { key } of files.list(`${folder}/`)) await files.remove(key)
}

/** Removes all that is kept of some nodes. */
export const removeNodeFiles = async (files: Files, nodeIds: readonly string[]): Promise<void> => {
  for (const id of nodeIds) {
    await removeFolder(files, nodeFolder(id))
    await removeFolder(files, deliveryFolder(id))
  }
}
