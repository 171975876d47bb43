import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './process.ts'

/** A module of the repository: its path relative to the root, and its text. */
export type Module = { path: string; text: string }

/** All test files, relative to the root. */
export const testFiles = (): string[] =>
  ['services', 'protos/plugin', 'operator', 'deploy', 'test'].flatMap((folder) =>
    globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }),
  )

/** Matches import statements in the text of a module. */
const importPattern = /^import (?!type )[^'"]*['"](?<from>[^'"]+)['"]/gm

/** The imports of a module: the imported module and the statement with the names. */
export const importsOf = ({ text }: Module): { from: string; names: string }[] =>
  [...text.matchAll(importPattern)].map((found) => ({ from: found.groups?.from ?? '', names: found[0] }))

const readModule = (path: string): Module => {
  try {
    return { path, text: readFileSync(join(root, path), 'utf8') }
  } catch {
    // Generated, or not TypeScript: it has no relevant imports.
    return { path, text: '' }
  }
}

/** The path of an imported module of the repository: a relative one, or one of the tests' package. */
const pathOf = (from: string, importer: string): string[] => {
  if (from.startsWith('.')) return [relative(root, join(root, dirname(importer), from))]
  return from.startsWith('@trellis/test/') ? [`${from.slice('@trellis/'.length)}.ts`] : []
}

/** The files that satisfy the condition, or import a module that does, directly or transitively. */
export const filesReaching = (files: readonly string[], matches: (module: Module) => boolean): string[] => {
  const known = new Map<string, boolean>()
  const reaches = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    // A cycle of imports ends here.
    known.set(path, false)
    const module = readModule(path)
    const imported = importsOf(module).flatMap(({ from }) => pathOf(from, path))
    const found = matches(module) || imported.some(reaches)
    known.set(path, found)
    return found
  }
  return files.filter(reaches)
}
