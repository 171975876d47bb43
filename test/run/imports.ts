import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './process.ts'

/** A module of the repository: its path from the root, and its text. */
export type Module = { path: string; text: string }

/** Every test file, from the root. */
export const testFiles = (): string[] =>
  ['services', 'protos/plugin', 'operator', 'deploy', 'test'].flatMap((folder) =>
    globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }),
  )

/** Import statements: of a module's text, as it stands in the code. */
const importPattern = /^import (?!type )[^'"]*['"](?<from>[^'"]+)['"]/gm

/** Names that a module imports, by the module that they come from. */
export const importsOf = ({ text }: Module): { from: string; names: string }[] =>
  [...text.matchAll(importPattern)].map((found) => ({ from: found.groups?.from ?? '', names: found[0] }))

const readModule = (path: string): Module => {
  try {
    return { path, text: readFileSync(join(root, path), 'utf8') }
  } catch {
    // Generated, or not TypeScript: it imports nothing that is looked for.
    return { path, text: '' }
  }
}

/** The files from which a module that satisfies the condition is reached through relative imports, or which satisfy it themselves. */
export const filesReaching = (files: readonly string[], isSought: (module: Module) => boolean): string[] => {
  const known = new Map<string, boolean>()
  const reaches = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    // A cycle of imports ends here.
    known.set(path, false)
    const module = readModule(path)
    const imported = importsOf(module).flatMap(({ from }) =>
      from.startsWith('.') ? [relative(root, join(root, dirname(path), from))] : [],
    )
    const found = isSought(module) || imported.some(reaches)
    known.set(path, found)
    return found
  }
  return files.filter(reaches)
}
