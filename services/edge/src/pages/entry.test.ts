import { expect, test } from 'vitest'
import { fillEntry } from './entry.ts'

const html = '<meta name="trellis" content="{}" /><script type="module" src="./assets/a.js"></script>'

test('the page gets the base before its assets, and facts that cannot leave their attribute', () => {
  const facts = {
    version: '1',
    mounts: ['/logs'],
    sign_in: 'https://x.test/?a="><script>$&',
    base: '/trellis',
    has_admin_key: false,
  }
  const filled = fillEntry(html, facts)
  expect(filled).toContain('src="/trellis/assets/a.js"')
  expect(filled.match(/<script/g)).toHaveLength(1)
  const content = /content="([^"]*)"/.exec(filled)?.[1] ?? ''
  const decoded = content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
  expect(JSON.parse(decoded)).toEqual(facts)
})
