import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askShared, canShare } from './shared/ask.ts'
import { bundledEntry } from './shared/bundle.ts'

/** The file that starts a module of the repository: in the bundle of the run of the tests where it has one, else its source. */
export const modulePath = async (module: string): Promise<string> => {
  const entry = canShare() ? bundledEntry(module) : undefined
  if (entry !== undefined) return join((await askShared('bundle')).folder, entry)
  return fileURLToPath(new URL(`../../${module}`, import.meta.url))
}
