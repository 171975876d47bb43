import { expect, test } from 'vitest'
import { createRobots } from './robots.ts'

const isAllowed = async (path: string, ...rules: readonly string[]): Promise<boolean> => {
  const body = ['User-agent: *', ...rules].join('\n')
  const answer = { status: 200, body, address: '', contentType: null, retryAfterSeconds: undefined }
  const robots = createRobots({ get: async () => answer, userAgent: 'Tester', clock: () => 0 })
  return (await robots.check(`https://site.test${path}`, new AbortController().signal)).isAllowed
}

test.each([
  ['/%7Eada/', '/~ada/x'],
  ['/~ada/', '/%7eada/x'],
  ['/bar/%62%61%7A', '/bar/baz'],
  ['/bar/baz', '/b%61r/baz'],
  ['/foo/bar?baz=http://foo.bar', '/foo/bar?baz=http%3A%2F%2Ffoo.bar'],
  ['/foo/bar?baz=http%3a%2f%2ffoo.bar', '/foo/bar?baz=http://foo.bar'],
  ['/foo/ツ', '/foo/%E3%83%84'],
  ['/foo/%e3%83%84', '/foo/ツ'],
  ['/a|b', '/a|b'],
  ['/a b', '/a%20b'],
  ['/file-with-a-%2A.html', '/file-with-a-*.html'],
  ['/price-%24', '/price-$'],
  ['/*.php$', '/a/index.php'],
  ['/sch/*?*_nkw=', '/sch/i.html?a=1&_nkw=x'],
  ['/secret # a comment', '/secret'],
  ['/100%', '/100%25'],
])('"Disallow: %s" forbids %s', async (rule, path) => {
  expect(await isAllowed(path, `Disallow: ${rule}`)).toBe(false)
})

test.each([
  ['/a/b', '/a%2Fb'],
  ['/a%2Fb', '/a/b'],
  ['/x?a=b&c', '/x?a=b%26c'],
  ['/*.php$', '/index.php5'],
  ['/file-with-a-%2A.html', '/file-with-a-x.html'],
])('"Disallow: %s" allows %s', async (rule, path) => {
  expect(await isAllowed(path, `Disallow: ${rule}`)).toBe(true)
})

test('the longest rule wins, however its path is encoded', async () => {
  expect(await isAllowed('/%7Eada/open', 'Disallow: /~ada/', 'Allow: /%7Eada/open')).toBe(true)
  expect(await isAllowed('/~ada/open/x', 'Allow: /%7Eada/%6f', 'Disallow: /~ada/open')).toBe(false)
})
