import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildFolder, buildWeb } from '@trellis/web/build'
import { beforeAll, expect, test } from 'vitest'

/** Largest sizes in KB, gzipped, that users should have to load. */
const limits = { shell: 39, styles: 10, route: 25, firstPage: 71, everything: 260 }

/** A file of the build: its size in KB, gzipped, and the files that it imports before it runs. */
type BuiltFile = { size: number; imports: string[] }

let files: Map<string, BuiltFile>
let page: string
beforeAll(async () => {
  await buildWeb()
  const folder = join(buildFolder, 'assets')
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name))
  const read = async (name: string): Promise<[string, BuiltFile]> => {
    const text = await readFile(join(folder, name), 'utf8')
    const imports = [...text.matchAll(/(?:from|import)\s*["`']\.\/([^"`']+\.js)["`']/g)].map(([, path]) => path ?? '')
    return [name, { size: gzipSync(text).length / 1_000, imports }]
  }
  files = new Map(await Promise.all(names.map(read)))
  page = await readFile(join(buildFolder, 'index.html'), 'utf8')
})

const sum = (names: Iterable<string>): number =>
  [...names].reduce((total, name) => total + (files.get(name)?.size ?? 0), 0)
const firstNames = (suffix: string): string[] =>
  [...page.matchAll(/assets\/([^"]+)/g)].flatMap(([, name]) => (name?.endsWith(suffix) ? [name] : []))
const routeNames = (): string[] => [...files.keys()].filter((name) => name.startsWith('Page-') && name.endsWith('.js'))

/** Files, and those that they import, directly or through others. */
const withImports = (names: string[]): Set<string> => {
  const found = new Set(names)
  for (const name of found) for (const each of files.get(name)?.imports ?? []) found.add(each)
  return found
}

test('the shell loads within the limit', () => {
  expect(firstNames('.js').length).toBeGreaterThan(0)
  expect(sum(firstNames('.js'))).toBeLessThan(limits.shell)
  expect(sum(firstNames('.css'))).toBeLessThan(limits.styles)
})

test('no page has more script than the limit, and neither has all together', () => {
  expect(routeNames().length).toBeGreaterThan(10)
  expect(Math.max(...routeNames().map((name) => sum([name])))).toBeLessThan(limits.route)
  expect(sum(files.keys())).toBeLessThan(limits.everything)
})

test('a first visit of any page loads less script than the limit, and in few files', () => {
  const visits = routeNames().map((name) => withImports([...firstNames('.js'), name]))
  expect(Math.max(...visits.map(sum))).toBeLessThan(limits.firstPage)
  expect(Math.max(...visits.map(({ size }) => size))).toBeLessThan(20)
})
