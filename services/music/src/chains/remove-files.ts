import type { Files } from '@trellis/kit/files'
import { deliveryFolder, nodeFolder } from '../audio/files-layout.ts'

const removeFolder = async (files: Files, folder: string): Promise<void> => {
  for await (const { key } of files.list(`${folder}/`)) await files.remove(key)
}

/** Removes the downloads of a node whose names begin with one of these sources. */
export const removeDeliveriesOf = async (files: Files, nodeId: string, sources: readonly string[]): Promise<void> => {
  for (const source of sources) {
    for await (const { key } of files.list(`${deliveryFolder(nodeId)}/${source}-`)) await files.remove(key)
  }
}

/** Removes all files of a node, or of a chain, which has only downloads. */
export const removeOwnerFiles = async (files: Files, ownerId: string): Promise<void> => {
  await removeFolder(files, nodeFolder(ownerId))
  await removeFolder(files, deliveryFolder(ownerId))
}

export const removeFilesOf = async (files: Files, ownerIds: readonly string[]): Promise<void> => {
  for (const id of ownerIds) await removeOwnerFiles(files, id)
}
