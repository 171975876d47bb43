import { buildWeb } from '@trellis/web/build'
import { beforeAll, expect, test } from 'vitest'
import { readBuiltFiles } from './support/built-files.ts'

/** Largest sizes in KB, gzipped, that users should have to load. */
const limits = { shell: 36, styles: 10, route: 25, anyPage: 64, everything: 260 }

/** The same for the first visit of a service, until all is there that is shown without any data. */
const firstVisitLimit = 50

let built: Awaited<ReturnType<typeof readBuiltFiles>>
beforeAll(async () => {
  await buildWeb()
  built = await readBuiltFiles()
})

test('the shell loads within the limit', () => {
  const { scripts, styles } = built.shell
  expect(scripts.length).toBeGreaterThan(0)
  expect(built.sizeOf(scripts)).toBeLessThan(limits.shell)
  expect(built.sizeOf(styles)).toBeLessThan(limits.styles)
})

test.each(['/home', '/music', '/logs', '/listings'])(
  'a first visit of %s loads less script than the limit, in few files',
  (path) => {
    const scripts = built.firstVisitAt(path)
    expect(built.sizeOf(scripts)).toBeLessThanOrEqual(firstVisitLimit)
    expect(scripts.size).toBeLessThan(20)
  },
)

test('no page has more script than the limit, and neither has all together', () => {
  expect(built.pages.length).toBeGreaterThan(10)
  expect(Math.max(...built.pages.map((page) => built.sizeOf([page])))).toBeLessThan(limits.route)
  expect(built.sizeOf(built.names)).toBeLessThan(limits.everything)
})

test('a first visit of any page loads less script than the limit, and in few files', () => {
  const visits = built.pages.map(built.visitOf)
  expect(Math.max(...visits.map(built.sizeOf))).toBeLessThan(limits.anyPage)
  expect(Math.max(...visits.map(({ size }) => size))).toBeLessThan(20)
})
