import { expect, test } from 'vitest'
import { flag, formatValues, list, number, oneOf, parseValue, text } from './codecs.ts'

const shape = {
  q: text(),
  severity: list(),
  order: oneOf(['relevance', 'time'], 'relevance'),
  min: number(0, 100),
  live: flag(),
}

/** Reads all values of the shape; `rejected` names those whose text means nothing. */
const read = (search: string) => {
  const parameters = new URLSearchParams(search)
  const parsed = Object.entries(shape).map(([name, codec]) => {
    const text = parameters.get(name) ?? ''
    return { name, ...parseValue<unknown>(codec, text) }
  })
  return {
    values: Object.fromEntries(parsed.map(({ name, value }) => [name, value])),
    rejected: parsed.flatMap(({ name, isRejected }) => (isRejected ? [name] : [])),
  }
}

test('values survive being written to the URL and read again', () => {
  const change = { q: 'a b', severity: ['ERROR', 'WARN'], order: 'time' as const, min: 5, live: true }
  const written = formatValues(shape, new URLSearchParams(), change)
  expect(written.toString()).toBe('q=a+b&severity=ERROR%2CWARN&order=time&min=5&live=1')
  expect(read(written.toString())).toEqual({ values: change, rejected: [] })
})

test('words of a list may contain commas and percent signs', () => {
  const severity = ['error,2026.log', '100%', '%2C', 'b']
  const written = formatValues(shape, new URLSearchParams(), { severity })
  expect(written.get('severity')).toBe('error%2C2026.log,100%25,%252C,b')
  expect(read(written.toString()).values.severity).toEqual(severity)
  // As people write them.
  expect(read('severity=50%,c').values.severity).toEqual(['50%', 'c'])
})

test('a word that is written twice is one', () => {
  expect(read('severity=b,a,b,,a').values.severity).toEqual(['b', 'a'])
})

test('fallbacks are left out of the URL, and other parameters stay', () => {
  const written = formatValues(shape, new URLSearchParams('q=x&min=3&tab=2'), { q: '', min: null, order: 'relevance' })
  expect(written.toString()).toBe('tab=2')
})

test('text that means nothing becomes the fallback and is named', () => {
  const { values, rejected } = read('order=size&min=200&live=yes')
  expect([values.order, values.min, values.live]).toEqual(['relevance', null, false])
  expect(rejected).toEqual(['order', 'min', 'live'])
})
