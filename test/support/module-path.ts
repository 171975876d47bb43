import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledEntry } from './shared/bundle.ts'
import { canShare, fetchShared } from './shared/fetch-shared.ts'

/** The file that starts a module of the repository: in the test bundle if it contains the module, otherwise its source. */
export const modulePath = async (module: string): Promise<string> => {
  const entry = canShare() ? bundledEntry(module) : undefined
  if (entry !== undefined) return join((await fetchShared('bundle')).folder, entry)
  return fileURLToPath(new URL(`../../${module}`, import.meta.url))
}
