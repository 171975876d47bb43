import { expect, test } from 'vitest'
import { slugFromLabel, slugHolder, slugOf } from './slug.ts'
import { branchObject } from './test-support.ts'

test.each([
  ['Kitchen', 'kitchen'],
  ['Büro Zürich, 2. Stock', 'buro-zurich-2-stock'],
  ['  --web  01-- ', 'web-01'],
  ['a'.repeat(60), 'a'.repeat(40)],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ['Ａ１', 'a1'],
  ['日本 7', '7'],
  ['日本', ''],
])('the label %j makes the slug %j', (label, slug) => {
  expect(slugFromLabel(label)).toBe(slug)
})

test('an explicit slug is used unchanged', () => {
  expect(slugOf(branchObject('x', { spec: { slug: '-odd-', label: 'Even' } }))).toBe('-odd-')
  expect(slugOf(branchObject('x', { spec: { label: 'Even' } }))).toBe('even')
})

test('the oldest of several Branches holds their slug, with a deterministic choice within a second', () => {
  const make = (name: string, second: number) =>
    branchObject(name, { spec: { slug: 'same' }, created: `2026-01-01T00:00:0${second}Z` })
  const [a, b, c] = [make('a', 2), make('b', 1), make('c', 2)]
  const all = [a, b, c]
  expect(all.map((one) => slugHolder(one, all)?.metadata.name)).toEqual(['b', undefined, 'b'])
  expect([a, c].map((one) => slugHolder(one, [c, a])?.metadata.name)).toEqual([undefined, 'a'])
})

test("a slug's holder retains it, also against an older Branch", () => {
  const make = (name: string, second: number, status = {}) =>
    branchObject(name, { spec: { slug: 'same' }, status, created: `2026-01-01T00:00:0${second}Z` })
  const all = [make('a', 1), make('b', 2, { secretName: 'key' })]
  expect(all.map((one) => slugHolder(one, all)?.metadata.name)).toEqual(['b', undefined])
})
