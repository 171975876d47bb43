import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  cyclesIn,
  folderGraph,
  isComposition,
  isTestCode,
  packageOf,
  readImports,
  specifiersOf,
} from './import-graph.ts'
import { cycleCeilings, moduleFolders, packageImports, testImports } from './import-rules.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const imports = await readImports(root)
const shown = ({ from, specifier }: { from: string; specifier: string }) => `${from} imports ${specifier}`

test('imports of all forms are read, types and dynamic imports included', () => {
  const text = [
    "import { a } from './a.ts'",
    "import type { B } from '@trellis/kit/bus'",
    "import './c.ts'",
    "export { d } from './d.ts'",
    "import {\n  e,\n  f,\n} from './e.ts'",
    "const g = await import('pg')",
    "export const h = 'h'",
    "const text = 'import i'",
  ].join('\n')
  expect(specifiersOf(text)).toEqual(['./a.ts', '@trellis/kit/bus', './c.ts', './e.ts', './d.ts', 'pg'])
})

test('packages import only the packages that the table allows them', () => {
  const wrong = imports.filter(({ from, target }) => {
    const [own, other] = [packageOf(from), packageOf(target)]
    const allowed = packageImports[own]
    if (allowed === undefined || packageImports[other] === undefined || own === other) return false
    return !allowed.includes(other) && !(isTestCode(from) && testImports.includes(other))
  })
  expect(wrong.map(shown)).toEqual([])
})

test('sources import no test code', () => {
  const wrong = imports.filter(({ from, target }) => !isTestCode(from) && target.includes('/') && isTestCode(target))
  expect(wrong.map(shown)).toEqual([])
})

test('modules of other packages are imported by the name of their package', () => {
  const wrong = imports.filter(({ from, specifier, target }) => {
    const own = packageOf(from)
    return packageImports[own] !== undefined && specifier.startsWith('.') && packageOf(target) !== own
  })
  expect(wrong.map(shown)).toEqual([])
})

test('third-party modules are imported from their folders only', () => {
  const isOurs = (target: string) => packageImports[packageOf(target)] !== undefined || target.startsWith('test/')
  const wrong = imports.filter(({ from, specifier, target }) => {
    if (specifier.startsWith('.') || isTestCode(from) || isOurs(target)) return false
    const folders = moduleFolders[target]
    if (folders === undefined) return !target.startsWith('node:')
    return !folders.some((folder) => from.startsWith(`${folder}/`))
  })
  expect(wrong.map(shown)).toEqual([])
})

test('every module of the table is still imported', () => {
  const targets = new Set(imports.map(({ target }) => target))
  expect(Object.keys(moduleFolders).filter((name) => !targets.has(name))).toEqual([])
})

test('cycles are found, with all their members', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c', 'd'])],
    ['c', new Set(['a'])],
    ['d', new Set(['e'])],
    ['e', new Set<string>()],
  ])
  expect(cyclesIn(graph)).toEqual([['a', 'b', 'c']])
})

test('what the composition passes is imported as a type only', async () => {
  const users = imports.filter(({ from, target }) => isComposition(target) && !isTestCode(from))
  expect(users.length).toBeGreaterThan(10)
  const texts = await Promise.all(users.map(({ from }) => readFile(join(root, from), 'utf8')))
  const wrong = users.filter(({ specifier }, index) => {
    const line = texts[index]?.split('\n').find((text) => text.includes(`'${specifier}'`))
    return !line?.startsWith('import type ')
  })
  expect(wrong.map(shown)).toEqual([])
})

test.each(Object.keys(packageImports))('folders of %s form no cycle, or none larger than its ceiling', (folder) => {
  const cycles = cyclesIn(folderGraph(imports, folder))
  const ceiling = cycleCeilings[folder]
  if (ceiling === undefined) expect(cycles).toEqual([])
  else expect(Math.max(0, ...cycles.map(({ length }) => length))).toBe(ceiling)
})
