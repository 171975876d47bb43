import { expect, test } from 'vitest'
import { createVirtualClock } from '../../../test/simulation/mod.ts'
import type { KubeObject } from '../objects/object.ts'
import { createExpectations } from './expectations.ts'

const child = (name: string, deletionTimestamp?: string): KubeObject => ({
  metadata: {
    name,
    namespace: 'ns',
    uid: `uid-${name}`,
    resourceVersion: '1',
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  },
})

test('an owner waits until the cache shows every creation and the start of every deletion', () => {
  const expectations = createExpectations({ clock: createVirtualClock() })
  expectations.expectCreation('ns/owner', 'ns/a')
  expectations.expectDeletion('ns/owner', 'uid-b')
  expectations.observe({ type: 'added', object: child('other'), initial: false })
  expect([expectations.fulfilled('ns/owner'), expectations.fulfilled('ns/another')]).toEqual([false, true])
  expectations.observe({ type: 'added', object: child('a'), initial: false })
  expect(expectations.fulfilled('ns/owner')).toBe(false)
  const ending = child('b', '2030-01-01T00:00:00Z')
  expectations.observe({ type: 'changed', object: ending, previous: child('b'), initial: false })
  expect(expectations.fulfilled('ns/owner')).toBe(true)
})

test('an expectation expires after five minutes', async () => {
  const clock = createVirtualClock()
  const expectations = createExpectations({ clock })
  expectations.expectCreation('ns/owner', 'ns/a')
  await clock.advance(299_999)
  expect([expectations.fulfilled('ns/owner'), expectations.expiresIn('ns/owner')]).toEqual([false, 1])
  await clock.advance(1)
  expect([expectations.fulfilled('ns/owner'), expectations.expiresIn('ns/owner')]).toEqual([true, 0])
})

test('failed requests and deleted owners have no pending expectations', () => {
  const expectations = createExpectations({ clock: createVirtualClock() })
  expectations.expectCreation('ns/owner', 'ns/a')
  expectations.withdraw('ns/a')
  expect(expectations.fulfilled('ns/owner')).toBe(true)
  expectations.expectDeletion('ns/owner', 'uid-b')
  expectations.drop('ns/owner')
  expect(expectations.fulfilled('ns/owner')).toBe(true)
})
