import { routes } from '@trellis/protos/edge/routes.ts'
import { expect, test } from 'vitest'
import { check } from './validation.ts'

/** Every pattern in a schema, however deep. */
const patternsIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
  )
}

test('the pattern of every field has a sentence without the pattern', () => {
  const patterns = new Set(routes.flatMap(({ schema }) => patternsIn(schema)))
  expect(patterns.size).toBeGreaterThan(3)
  for (const pattern of patterns) {
    const error = check('body', { type: 'object', properties: { field: { type: 'string', pattern } } })({ field: ' ' })
    expect(error?.detail).toEqual([
      { loc: ['body', 'field'], msg: expect.not.stringContaining(pattern), type: 'pattern' },
    ])
  }
})

test('an unknown pattern is quoted', () => {
  const error = check('query', { type: 'object', properties: { x: { type: 'string', pattern: '^a+$' } } })({ x: 'b' })
  expect(error?.detail).toEqual([{ loc: ['query', 'x'], msg: 'must match ^a+$', type: 'pattern' }])
})

test('a number that is not whole has one error', () => {
  const seed = { type: 'integer', format: 'int64', minimum: 0 }
  const error = check('body', { type: 'object', properties: { seed } })({ seed: 1.5 })
  expect(error?.detail).toEqual([{ loc: ['body', 'seed'], msg: 'must be a whole number of at least 0', type: 'type' }])
})
