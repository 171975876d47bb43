import { expectLinear } from '@trellis/test/support/growth'
import { describe, expect, test } from 'vitest'
import { card, shellOf } from '../../../test/scripted-site.ts'
import { partRules } from './part-rules.ts'
import { isShell } from './shell.ts'

const results = 'http://site.test/sch/i.html?_nkw=camera'
const item = 'http://site.test/itm/130000000001'
const script = '<script src="/page.js"></script>'
const product = '<script type="application/ld+json">{"@type":"Product","name":"Camera"}</script>'
const joined = '<div class="x-store-information__info"><span class="ux-textspans">Joined Mar 2015</span></div>'

describe('shell detection', () => {
  test.each([
    ['no results, but a script', shellOf(script), results, true],
    ['no results, but a script without a file', shellOf('<script>render()</script>'), results, true],
    ['no results, but a module', shellOf('<script type="module" src="/page.js"></script>'), results, true],
    ['results in a script only', shellOf(`<script>show('<a href="/itm/130000000001">')</script>`), results, true],
    ['an item without its seller, but a script', shellOf(script), item, true],
    ['no script at all', shellOf(''), results, false],
    ['nothing but data', shellOf('<script type="application/ld+json">{}</script>'), results, false],
    ['cards', shellOf(`<ul class="srp-results">${card(1)}</ul>${script}`), results, false],
    [
      'a statement that there are no results',
      shellOf(`<h1 class="srp-controls__count-heading">0 results for x</h1>${script}`),
      results,
      false,
    ],
    ['an item with the age of its seller', shellOf(product + joined + script), item, false],
    ['an item whose seller a script brings', shellOf(product + script), item, true],
  ])('a page with %s', (_, html, address, expected) => {
    expect(isShell(html, address)).toBe(expected)
  })

  test.each(['<script ', '<a href="/itm/', '<div>', '<script></script><div>'])(
    'a page of nothing but %s is checked in linear time',
    (tag) => {
      expectLinear(tag, (length) => isShell(tag.repeat(length / tag.length), results))
    },
  )
})

describe('subresource requests', () => {
  const requested = (address: string, resourceType = 'script', method = 'GET') =>
    partRules('http://www.site.test/page').allows({ address, method, resourceType })

  test.each([
    ['http://www.site.test/a.js', true],
    ['https://site.test/a.js', true],
    ['http://static.site.test/a.js', true],
    ['http://othersite.test/a.js', false],
    ['http://site.test.evil.test/a.js', false],
    ['http://www.site.test:8080/a.js', false],
    ['http://169.254.169.254/latest', false],
    ['file:///etc/passwd', false],
    ['data:text/javascript,1', false],
  ])('%s: %s', (address, expected) => {
    expect(requested(address)).toBe(expected)
  })

  test.each([
    'image',
    'stylesheet',
    'font',
    'media',
    'document',
    'websocket',
    'eventsource',
    'ping',
    'manifest',
    'other',
  ])('resources of type %s are not allowed', (resourceType) => {
    expect(requested('http://www.site.test/a', resourceType)).toBe(false)
  })

  test('requests other than GET are not allowed', () => {
    expect(requested('http://www.site.test/a', 'fetch', 'POST')).toBe(false)
  })

  test('a site addressed by IP has no subdomains', () => {
    const rules = partRules('http://127.0.0.1:8080/page')
    const allows = (address: string) => rules.allows({ address, method: 'GET', resourceType: 'fetch' })
    expect(allows('http://127.0.0.1:8080/data')).toBe(true)
    expect(allows('http://127.0.0.1:9090/data')).toBe(false)
    expect(rules.policy).not.toContain('*')
  })
})
