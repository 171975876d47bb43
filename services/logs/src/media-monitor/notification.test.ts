import { expect, test } from 'vitest'
import { readNotification, severityOf, textOf, timeOf, triggerOf } from './notification.ts'

test.each([
  ['error', 'CRITICAL'],
  ['on_error', 'CRITICAL'],
  ['buffer', 'WARN'],
  ['Buffer', 'WARN'],
  ['play', null],
  ['stop', null],
  ['intdown', null],
  ['constructor', null],
  ['', null],
])('severity mapping: the trigger "%s" is %s', (action, severity) => {
  expect(severityOf({ action })).toBe(severity)
})

test('the trigger is read from action or event', () => {
  expect(triggerOf({ action: 'play', event: 'stop' })).toBe('play')
  expect(triggerOf({ action: 7, event: 'On_Stop ' })).toBe('stop')
  expect(triggerOf({ title: 'error' })).toBeUndefined()
})

test.each<[string, string, Record<string, unknown>]>([
  ['{"action":"play","nested":{"a":[1]}}', 'application/json; charset=utf-8', { action: 'play', nested: { a: [1] } }],
  ['{"action":"play"}', '', { action: 'play' }],
  [
    'action=buffer&title=Night+Train&user=k%26m',
    'application/x-www-form-urlencoded',
    { action: 'buffer', title: 'Night Train', user: 'k&m' },
  ],
  ['tag=a&tag=b', '', { tag: ['a', 'b'] }],
])('%s as "%s" is read', (body, contentType, fields) => {
  expect(readNotification(body, contentType)).toEqual(fields)
})

test.each([
  ['{"action":', 'application/json', 'malformed'],
  ['action=play', 'application/json', 'malformed'],
  ['[1]', 'application/json', 'invalid'],
  ['"play"', 'application/json', 'invalid'],
  ['{}', 'application/json', 'invalid'],
  ['', '', 'invalid'],
  [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'application/json', 'invalid'],
])('%s as "%s" is refused', (body, contentType, kind) => {
  expect(() => readNotification(body, contentType)).toThrow(expect.objectContaining({ kind }))
})

test.each([
  [{ unixtime: '1717634687' }, '2024-06-06T00:44:47.000Z'],
  [{ unixtime: 1717634687, timestamp: '2020-01-01T00:00:00Z' }, '2024-06-06T00:44:47.000Z'],
  [{ unixtime: 'soon', utctime: '2024-06-06T00:44:47Z' }, '2024-06-06T00:44:47.000Z'],
  [{ timestamp: '2024-06-06 02:44:47+02:00' }, '2024-06-06T00:44:47.000Z'],
  [{ timestamp: '14:05' }, undefined],
  [{}, undefined],
])('the time of %j is %s', (notification, expected) => {
  const time = timeOf(notification, Date.UTC(2026, 0, 1))
  expect(time === undefined ? undefined : new Date(time).toISOString()).toBe(expected)
})

test('the text has every field, in order, so that it is searchable', () => {
  expect(
    textOf({ action: 'buffer', title: 'Night "Train"', percent: 7, more: { a: [1] }, 'odd name': '', none: null }),
  ).toBe('action=buffer title="Night \\"Train\\"" percent=7 more="{\\"a\\":[1]}" "odd name"="" none=null')
})
