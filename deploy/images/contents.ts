import { join } from 'node:path'
import { buildWeb } from '@trellis/web/build'
import { bundle } from './bundle.ts'
import { entryModules } from './entries.ts'

/** Writes what the images contain into a folder: the programs, bundled, and the web app, which the edge looks for beside its program. */
export const writeContents = async (folder: string): Promise<void> => {
  await bundle(entryModules(), folder)
  await buildWeb(join(folder, 'web'))
}
