import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const ours = '@trellis'

const git = (...words: string[]) =>
  execFileSync('git', ['-C', root, ...words], { maxBuffer: 512 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] })

/** Whether this checkout has a commit: not if it has no history, or only a part of it. */
export const hasCommit = (commit: string): boolean => {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

/** The folders of a tree that are packages, by the name in their package.json. */
const packagesOf = (tree: string): Map<string, string> => {
  const folders = ['protos', 'operator', ...readdirSync(join(tree, 'services')).map((name) => join('services', name))]
  const packages = new Map<string, string>()
  for (const folder of folders) {
    const file = join(tree, folder, 'package.json')
    if (!existsSync(file)) continue
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name: string }
    packages.set(name.slice(ours.length + 1), join(tree, folder))
  }
  return packages
}

/**
 * Writes the sources of a commit into an empty folder, with this checkout's third-party packages and the commit's own,
 * so that its programs can be started and bundled there.
 */
export const writeEarlierTree = (commit: string, folder: string): void => {
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) })
  const modules = join(folder, 'node_modules')
  const installed = join(root, 'node_modules')
  mkdirSync(join(modules, ours), { recursive: true })
  for (const name of readdirSync(installed)) if (name !== ours) symlinkSync(join(installed, name), join(modules, name))
  for (const [name, target] of packagesOf(folder)) {
    symlinkSync(target, join(modules, ours, name))
    const ownModules = join(relative(folder, target), 'node_modules')
    if (existsSync(join(root, ownModules))) symlinkSync(join(root, ownModules), join(folder, ownModules))
  }
}
