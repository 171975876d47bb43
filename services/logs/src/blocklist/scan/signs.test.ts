import { expect, test } from 'vitest'
import { judge, type Known, signs } from './signs.ts'

const day = 86_400_000
const plain: Known = { domain: 'www.example.com', count: 1, firstSeen: 0, now: 10 * day, since: 0, devices: ['laptop'] }
const scoreOf = (more: Partial<Known>) => judge({ ...plain, ...more })

test('a name without a sign has no points', () => {
  expect(scoreOf({})).toEqual({ score: 0, reasons: [] })
})

test.each<[string, Partial<Known>, number, string]>([
  ['a domain of a known tracking company', { domain: 'ad.doubleclick.net' }, 65, 'doubleclick.net is known'],
  ['a tracking word as a label', { domain: 'metrics.shop.example.com' }, 25, '"metrics"'],
  ['a tracking word within a label', { domain: 'eu-telemetry.example.com' }, 25, 'eu-telemetry'],
  [
    'a domain that only devices without a browser query',
    { devices: ['Living room TV', 'Doorbell'] },
    15,
    'without a browser',
  ],
  ['a label that looks random', { domain: 'x7k2q9f4z8m1.example.com' }, 10, 'looks random'],
  ['a new domain', { firstSeen: 9.5 * day }, 5, 'less than a day ago'],
  ['a domain that is queried often', { count: 12_345 }, 4, '12345 times'],
])('%s gets its points, with a reason', (_, more, score, reason) => {
  const judged = scoreOf(more)
  expect(judged.score).toBe(score)
  expect(judged.reasons.join('\n')).toContain(reason)
})

test.each<[string, Partial<Known>]>([
  ['a browsing device among them', { devices: ['TV', 'laptop'] }],
  ['an unknown client', { devices: [] }],
  ['a word within another', { domain: 'addresses.example.com' }],
  ['a long word of a language', { domain: 'documentation.example.com' }],
  ['a database in which everything is new', { firstSeen: 9.9 * day, since: 9.8 * day }],
])('%s is no sign', (_, more) => {
  expect(scoreOf(more)).toEqual({ score: 0, reasons: [] })
})

test('all signs add up to 100 points with the maximum for frequency', () => {
  expect(signs.reduce((sum, { points }) => sum + points, 5)).toBe(100)
})
