import { expect, test } from 'vitest'
import { createLog } from './log.ts'

const logged = (format: 'json' | 'lines') => {
  const lines: string[] = []
  const log = createLog({ level: 'info', format, destination: { write: (text) => void lines.push(text) } })
  return { log, lines }
}

test('secrets are redacted at the top level and one level down', () => {
  const { log, lines } = logged('json')
  log.info({ token: 'abc', headers: { authorization: 'Bearer abc', cookie: 'abc' }, api_key: 'abc', user: 'ann' }, 'x')
  expect(lines.join('')).not.toContain('abc')
  expect(lines.join('')).toContain('ann')
})

test('the `lines` format has time, level, part, message and details, and the stack of an error', () => {
  const { log, lines } = logged('lines')
  log.child({ part: 'logs' }).warn({ lines: 3, path: 'a b' }, 'segment sealed')
  log.error({ err: new Error('boom') }, 'failed')
  log.debug({}, 'not shown')
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}warn {3}logs {6}segment sealed {2}lines=3 {2}path="a b"\n$/)
  expect(lines[1]).toMatch(/failed\n {2}Error: boom\n/)
  expect(lines).toHaveLength(2)
})
