import { expect, test } from 'vitest'
import { isSameSecret } from './secrets.ts'
import { issueSession, sessionLifetimeSeconds, verifySession } from './session.ts'

const now = Date.parse('2026-03-01T09:00:00Z')

test('a session is valid until it expires, for its own key only, and cannot be extended', () => {
  const session = issueSession('key', now)
  expect(session).not.toContain('key')
  expect(verifySession(session, 'key', now)).toBe(true)
  expect(verifySession(session, 'other', now)).toBe(false)
  expect(verifySession(session, 'key', now + (sessionLifetimeSeconds + 1) * 1_000)).toBe(false)
  expect(verifySession(session.replace(/^\d+/, '9999999999'), 'key', now)).toBe(false)
  for (const broken of ['', '.', 'x.y', `${session}x`]) expect(verifySession(broken, 'key', now)).toBe(false)
})

test('secrets of different lengths are compared', () => {
  expect(isSameSecret('a', 'a')).toBe(true)
  expect(isSameSecret('a', 'ab')).toBe(false)
  expect(isSameSecret('', 'a')).toBe(false)
})
