import { expect, test } from 'vitest'
import { judge, type Known, signs } from './signs.ts'

const day = 86_400_000
const plain: Known = { domain: 'www.example.com', count: 1, firstSeen: 0, now: 10 * day, since: 0, devices: ['laptop'] }
const scoreOf = (more: Partial<Known>) => judge({ ...plain, ...more })

test('a name without a sign has no points', () => {
  expect(scoreOf({})).toEqual({ score: 0, reasons: [] })
})

test.each<[string, Partial<Known>, number, string]>([
  ['one whose owner is known to measure', { domain: 'ad.doubleclick.net' }, 65, 'doubleclick.net is known'],
  ['a tracker by its name', { domain: 'metrics.shop.example.com' }, 25, '"metrics"'],
  ['one with the word in a longer label', { domain: 'eu-telemetry.example.com' }, 25, 'eu-telemetry'],
  ['one that only things ask for', { devices: ['Living room TV', 'Doorbell'] }, 15, 'without a browser'],
  ['one that looks drawn at random', { domain: 'x7k2q9f4z8m1.example.com' }, 10, 'drawn at random'],
  ['one that is new', { firstSeen: 9.5 * day }, 5, 'less than a day ago'],
  ['one that is asked for often', { count: 12_345 }, 4, '12345 times'],
])('%s has its points, and says for what', (_, more, score, words) => {
  const judged = scoreOf(more)
  expect(judged.score).toBe(score)
  expect(judged.reasons.join('\n')).toContain(words)
})

test.each<[string, Partial<Known>]>([
  ['a device that somebody browses with among them', { devices: ['TV', 'laptop'] }],
  ['nobody known who asks', { devices: [] }],
  ['a word within another', { domain: 'addresses.example.com' }],
  ['a long word of a language', { domain: 'documentation.example.com' }],
  ['everything being new', { firstSeen: 9.9 * day, since: 9.8 * day }],
])('%s is no sign', (_, more) => {
  expect(scoreOf(more)).toEqual({ score: 0, reasons: [] })
})

test('all signs together are a hundred points with the most that frequency adds', () => {
  expect(signs.reduce((sum, { points }) => sum + points, 5)).toBe(100)
})
