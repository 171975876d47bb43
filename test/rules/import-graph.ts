import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import { repositoryFiles } from '../support/repository-files.ts'

/** One import of a module: its specifier, and the file or package it leads to. */
export type Import = { from: string; specifier: string; target: string }

const statements = [
  /^import\s(?:[^'"]*?\sfrom\s)?\s*['"](?<specifier>[^'"\n]+)['"]/gm,
  /^export\s(?:type\s)?(?:\*|\{[^}]*\})[^'"\n]*\sfrom\s['"](?<specifier>[^'"\n]+)['"]/gm,
  /\bimport\(\s*['"](?<specifier>[^'"\n]+)['"]\s*\)/g,
]

/** Specifiers that a module imports or re-exports from, types included. */
export const specifiersOf = (text: string): string[] =>
  statements.flatMap((statement) => [...text.matchAll(statement)].map(({ groups }) => groups?.specifier ?? ''))

/** The package of a path: `services/kit`, `operator`, `test`. */
export const packageOf = (path: string): string => path.split('/', path.startsWith('services/') ? 2 : 1).join('/')

const workspace: Record<string, string> = {
  '@trellis/protos': 'protos',
  '@trellis/operator': 'operator',
  '@trellis/test': 'test',
}

const targetOf = (from: string, specifier: string): string => {
  if (specifier.startsWith('.')) return join(dirname(from), specifier)
  if (specifier.startsWith('node:')) return specifier
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  if (!name.startsWith('@trellis/')) return name
  const folder = workspace[name] ?? `services/${name.slice('@trellis/'.length)}`
  return folder + specifier.slice(name.length)
}

/** All imports of the repository's TypeScript modules, generated ones apart. */
export const readImports = async (root: string): Promise<Import[]> => {
  const paths = repositoryFiles(root, ['ts']).filter((path) => !path.includes('/gen/'))
  const imports = await Promise.all(
    paths.map(async (from) =>
      specifiersOf(await readFile(join(root, from), 'utf8')).map((specifier) => ({
        from,
        specifier,
        target: targetOf(from, specifier),
      })),
    ),
  )
  return imports.flat()
}

/** Whether a module is a test, a bench or a helper of one. */
export const isTestCode = (path: string): boolean =>
  /\.test\.ts$|-for-tests\.ts$|-suite\.ts$|test-support\.ts$|kill-victim\.ts$|^test\/|^operator\/test\/|\/(?:bench|test|training)\//.test(
    path,
  ) || path === 'vitest.config.ts'

/** Strongly connected components of more than one node (Tarjan, 1972). */
export const cyclesIn = (graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const found: string[][] = []
  const indexes = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const visit = (node: string): void => {
    indexes.set(node, indexes.size)
    lowest.set(node, indexes.size - 1)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!indexes.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0))
    }
    if (lowest.get(node) !== indexes.get(node)) return
    const component = stack.splice(stack.indexOf(node))
    if (component.length > 1) found.push(component.toSorted())
  }
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node)
  return found
}

/** The node of a source in the graph of folders: its first folder below `src`, or the file itself where it lies in `src`. */
const nodeOf = (path: string): string | undefined => /\/src\/(?<node>[^/]+)/.exec(path)?.groups?.node

/** The module of a package that describes what its composition passes to features: a type, whose import is no dependency on the composition. */
export const isComposition = (path: string): boolean => path.endsWith('/src/dependencies.ts')

/** Which folders of a package's sources import which others. */
export const folderGraph = (imports: readonly Import[], folder: string): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>()
  for (const { from, target } of imports) {
    if (packageOf(from) !== folder || packageOf(target) !== folder || isTestCode(from) || isComposition(target))
      continue
    const [a, b] = [nodeOf(from), nodeOf(target)]
    if (a === undefined || b === undefined || a === b) continue
    graph.set(a, (graph.get(a) ?? new Set()).add(b))
  }
  return graph
}
