import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './entries.ts'

type Manifest = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }

/** The folder that a package resolves to from another folder, or undefined. Ignores `exports`, which may hide the manifest. */
const folderOf = (name: string, from: string): string | undefined => {
  for (const directory of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    const folder = join(directory, name)
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return undefined
}

/**
 * The folders of packages and of all their dependencies in this repository. Throws if a dependency that is not optional is not
 * installed.
 */
const packageClosure = async (names: readonly string[]): Promise<string[]> => {
  const found = new Set<string>()
  const visit = async (name: string, from: string, isOptional: boolean): Promise<void> => {
    const folder = folderOf(name, from)
    if (folder === undefined && isOptional) return
    if (folder === undefined) throw new Error(`The package ${name}, which ${from} needs, is not installed. Run npm ci.`)
    if (found.has(folder)) return
    found.add(folder)
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
    for (const dependency of Object.keys(manifest.dependencies ?? {})) await visit(dependency, folder, false)
    for (const dependency of Object.keys(manifest.optionalDependencies ?? {})) await visit(dependency, folder, true)
  }
  for (const name of names) await visit(name, fileURLToPath(root), false)
  return [...found]
}

/** Files that no program in an image reads: documentation, types, tests, and binaries for other systems. */
const unread =
  /(?:\.d\.[cm]?ts|\.map|\.md|\.markdown)$|\/(?:test|tests|example|examples|\.github)$|\/bin\/napi-v\d+\/(?:darwin|win32)$/

/** Copies packages with all their dependencies to `<folder>/node_modules`, with the same paths as here. */
export const copyPackages = async (names: readonly string[], folder: string): Promise<void> => {
  const modules = join(fileURLToPath(root), 'node_modules')
  for (const source of await packageClosure(names)) {
    const nested = join(source, 'node_modules')
    await cp(source, join(folder, 'node_modules', relative(modules, source)), {
      recursive: true,
      dereference: true,
      // Needed packages in nested node_modules are in the closure themselves.
      filter: (path) => !unread.test(path.replaceAll(sep, '/')) && path !== nested,
    })
  }
}
