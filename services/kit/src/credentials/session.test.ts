import { expect, test } from 'vitest'
import { isSameSecret } from './secrets.ts'
import { issueSession, readSession, sessionLifetimeSeconds } from './session.ts'

const now = Date.parse('2026-03-01T09:00:00Z')

test('a session is valid until it expires, for its own key only, and cannot be extended', () => {
  const session = issueSession('key', now)
  expect(session).not.toContain('key')
  expect(readSession(session, 'key', now)?.expiresAt).toBe(now / 1_000 + sessionLifetimeSeconds)
  expect(readSession(session, 'other', now)).toBeUndefined()
  expect(readSession(session, 'key', now + sessionLifetimeSeconds * 1_000)).toBeUndefined()
  expect(readSession(session.replace(/^\d+/, '9999999999'), 'key', now)).toBeUndefined()
  for (const broken of ['', '.', 'x.y', 'x.y.z', `${session}x`])
    expect(readSession(broken, 'key', now), broken).toBeUndefined()
})

test('sessions of the same second have different ids, which cannot be exchanged', () => {
  const [one, other] = [issueSession('key', now), issueSession('key', now)]
  const idOf = (session: string) => readSession(session, 'key', now)?.id ?? ''
  expect(idOf(one)).not.toBe(idOf(other))
  expect(readSession(one.replace(idOf(one), idOf(other)), 'key', now)).toBeUndefined()
})

test('secrets of different lengths are compared', () => {
  expect(isSameSecret('a', 'a')).toBe(true)
  expect(isSameSecret('a', 'ab')).toBe(false)
  expect(isSameSecret('', 'a')).toBe(false)
})
