import { expect, test } from 'vitest'
import { toListing } from './summaries.ts'

const context = { platform: 'marketplace', defaultCurrency: 'USD', now: new Date('2026-06-15T12:00:00Z') }
const item = (change: object) => ({
  itemId: 'v1|1|0',
  title: 'Camera',
  itemWebUrl: 'https://site.test/itm/1',
  ...change,
})

test('a picture without a web address is left out', () => {
  const addresses = [
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'file:///etc/passwd',
    'https://images.test/a.jpg',
  ]
  const additionalImages = addresses.map((imageUrl) => ({ imageUrl }))
  expect(toListing(item({ additionalImages }), context)?.photoUrls).toEqual(['https://images.test/a.jpg'])
})

test('an item without a web address is no listing', () => {
  expect(toListing(item({ itemWebUrl: 'javascript:alert(1)' }), context)).toBeUndefined()
  expect(toListing(item({}), context)?.url).toBe('https://site.test/itm/1')
})
