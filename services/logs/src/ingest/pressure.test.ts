import { expect, test } from 'vitest'
import { createPressure } from './pressure.ts'

test('a request beyond the budget is refused with a Retry-After, and accepted once others have ended', () => {
  const pressure = createPressure(100)
  const first = pressure.begin()
  first.hold(60)
  using second = pressure.begin()
  second.hold(40)
  expect(() => second.hold(1)).toThrow(expect.objectContaining({ kind: 'unavailable', retryAfterSeconds: 2 }))
  first[Symbol.dispose]()
  second.hold(60)
})

test('a single request may exceed the whole budget', () => {
  const pressure = createPressure(100)
  using only = pressure.begin()
  only.hold(60)
  only.hold(600)
  using other = pressure.begin()
  expect(() => other.hold(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }))
})
