import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildFolder, buildWeb } from '@trellis/web/build'
import { beforeAll, expect, test } from 'vitest'

/** Largest sizes in KB, gzipped, that users should have to load. */
const limits = { shell: 39, styles: 10, route: 25, everything: 260 }

let sizes: Map<string, number>
let page: string
beforeAll(async () => {
  await buildWeb()
  const folder = join(buildFolder, 'assets')
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name))
  const read = async (name: string) => [name, gzipSync(await readFile(join(folder, name))).length / 1_000] as const
  sizes = new Map(await Promise.all(names.map(read)))
  page = await readFile(join(buildFolder, 'index.html'), 'utf8')
})

const sum = (names: Iterable<string>): number => [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0)
const firstNames = (suffix: string): string[] =>
  [...page.matchAll(/assets\/([^"]+)/g)].flatMap(([, name]) => (name?.endsWith(suffix) ? [name] : []))
const routeSizes = (): number[] =>
  [...sizes].filter(([name]) => name.startsWith('Page-') && name.endsWith('.js')).map(([, size]) => size)

test('the shell loads within the limit', () => {
  expect(firstNames('.js').length).toBeGreaterThan(0)
  expect(sum(firstNames('.js'))).toBeLessThan(limits.shell)
  expect(sum(firstNames('.css'))).toBeLessThan(limits.styles)
})

test('no page has more script than the limit, and neither has all together', () => {
  expect(routeSizes().length).toBeGreaterThan(10)
  expect(Math.max(...routeSizes())).toBeLessThan(limits.route)
  expect(sum(sizes.keys())).toBeLessThan(limits.everything)
})
