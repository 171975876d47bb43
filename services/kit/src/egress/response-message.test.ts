import { expect, test } from 'vitest'
import { responseMessage } from './response-message.ts'

const response = (status: number, headers: Record<string, string> = {}) => ({
  status,
  url: 'http://hub.example.com/bundles',
  headers: new Headers(headers),
})

test.each([
  ['later,\n please', 'later, please'],
  ['no\u0000\u0001w', 'no w'],
  ['{"detail":"The key is missing."}', 'The key is missing.'],
  ['{"detail":[{"msg":"no"}]}', '{"detail":[{"msg":"no"}]}'],
  ['<!doctype html><html><head><title> 502 Bad\nGateway</title></head></html>', 'a web page, "502 Bad Gateway"'],
  ['\n<HTML><body>Sign in</body></HTML>', 'a web page'],
  ['', ''],
])('the message of %j is %j', (text, message) => expect(responseMessage(response(502), text, 300)).toBe(message))

test('a message is not longer than its limit', () =>
  expect(responseMessage(response(502), 'x'.repeat(20), 5)).toBe('xxxxx'))

test.each([
  ['/login?token=secret', 'a redirect to http://hub.example.com/login'],
  ['https://user:secret@hub.example.com/a', 'a redirect to https://hub.example.com/a'],
  ['http://', 'found'],
])('the message of a redirect to %j is %j', (location, message) =>
  expect(responseMessage(response(302, { location }), 'found', 300)).toBe(message),
)
