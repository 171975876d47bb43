import { expect, test } from 'vitest'
import { cleanLine } from './clean.ts'

const docker = (log: string) => JSON.stringify({ log, stream: 'stdout', time: '2024-05-01T10:00:00.5Z' })
const journal = (message: unknown) =>
  JSON.stringify({ __REALTIME_TIMESTAMP: '1', _CMDLINE: '/x [y]', MESSAGE: message })
const bytesOf = (text: string) => [...Buffer.from(text)]

test.each([
  ['colours', '\x1b[1;31mERROR\x1b[0m no room\r', 'ERROR no room'],
  ['colours as JSON writes them', docker('\x1b[31mERROR\x1b[0m no room\n'), docker('ERROR no room\n')],
  ['colours with capitals in their escape', '{"msg":"\\u001B[31mno\\u001B[0m room"}', '{"msg":"no room"}'],
])('%s are removed', (_, line, clean) => {
  expect(cleanLine(line)).toBe(clean)
})

test.each([
  ['a backslash before u001b', '{"msg":"\\\\u001b[31m"}'],
  ['what is no object', 'msg="\\u001b[31m"'],
  ['numbers that are no bytes', journal([300, 2])],
  ['an empty list', journal([])],
])('%s stays as it is', (_, line) => {
  expect(cleanLine(line)).toBe(line)
})

test('the bytes of a message in the JSON of a journal become its text', () => {
  expect(cleanLine(journal(bytesOf('\x1b[33mWARN\x1b[0m naïve "door"')))).toBe(journal('WARN naïve "door"'))
  expect(cleanLine(journal([255, 65]))).toBe(journal('\ufffdA'))
})
