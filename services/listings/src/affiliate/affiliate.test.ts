import { expect, test } from 'vitest'
import { campaignOf, wrapUrl } from './affiliate.ts'

test.each([
  [{ optedOut: true, ownCampaign: 'mine', siteCampaign: 'site' }, undefined],
  [{ optedOut: false, ownCampaign: 'mine', siteCampaign: 'site' }, 'mine'],
  [{ optedOut: false, ownCampaign: undefined, siteCampaign: 'site' }, 'site'],
  [{ optedOut: false, ownCampaign: undefined, siteCampaign: ' ' }, undefined],
])('%j is campaign %s', (choice, expected) => {
  expect(campaignOf(choice)).toBe(expected)
})

test('campaign parameters replace existing ones, and other parameters are preserved', () => {
  const wrapped = new URL(wrapUrl('https://www.site.com.au/itm/1?hash=a%26b&campid=other', '42'))
  expect(wrapped.searchParams.getAll('campid')).toEqual(['42'])
  expect(wrapped.searchParams.get('hash')).toBe('a&b')
  expect(wrapped.searchParams.get('mkrid')).toBe('705-53470-19255-0')
})

test('a link without a campaign and a text that is no URL are unchanged', () => {
  expect(wrapUrl('https://site.test/itm/1', undefined)).toBe('https://site.test/itm/1')
  expect(wrapUrl('nowhere', '42')).toBe('nowhere')
})
