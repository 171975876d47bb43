import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, webRoot } from './folders.ts'

/** What the output depends on: the app's sources, the build itself, and the versions of the tools. */
const sources = ['index.html', 'package.json', 'vite.config.ts', '{build,public,src}/**/*']

/** A digest of everything that the build reads. */
export const sourceStamp = (): string => {
  const digest = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  const names = sources.flatMap((pattern) => globSync(pattern, { cwd: webRoot, withFileTypes: true }))
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.filter((name) => !name.endsWith('.test.ts')).toSorted())
    digest.update(`${path.slice(webRoot.length)}\0`).update(readFileSync(path))
  return digest.digest('hex')
}

const stampFile = (folder: string): string => join(folder, 'stamp')

export const isCurrent = (folder: string, stamp: string): boolean =>
  existsSync(stampFile(folder)) && readFileSync(stampFile(folder), 'utf8') === stamp

export { stampFile }
