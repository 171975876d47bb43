import { expect, test } from 'vitest'
import { describeEntry } from './describe-entry.ts'

test('a line that others wrap is described by what is in it, with what its own header says', () => {
  expect(
    describeEntry('docker-compose', 'shop  | 2024-05-01 10:20:30,120 - pay - ERROR - card was refused\n  at x'),
  ).toEqual({
    message: 'card was refused\n  at x',
    fields: { service: 'shop', logger: 'pay', level: 'ERROR' },
    timestampRaw: '2024-05-01 10:20:30,120',
  })
  const log = JSON.stringify({ log: 'level=warn msg=low left=3\n', stream: 'stderr', time: '2024-05-01T10:00:00.5Z' })
  expect(describeEntry('json-docker', log)).toMatchObject({
    message: 'low',
    fields: { left: '3', stream: 'stderr' },
    timestampRaw: '2024-05-01T10:00:00.5Z',
  })
})

test('a message that begins on the line after its header begins with a character, not with a line end', () => {
  const text = '# Time: 2024-01-26T23:45:57.678222Z\n# Query_time: 7\nSELECT 1;'
  expect(describeEntry('mysql-slow', text).message).toBe('# Query_time: 7\nSELECT 1;')
})

test('a wrapped line of no format is the message', () => {
  expect(describeEntry('docker-compose', 'shop  |  * goes on')).toEqual({
    message: ' * goes on',
    fields: { service: 'shop' },
    timestampRaw: null,
  })
})

test.each([
  ['an array of strings', '{"__REALTIME_TIMESTAMP":"1795601702123456","PRIORITY":"3","MESSAGE":["a","b"]}'],
  ['left out', '{"__REALTIME_TIMESTAMP":"1795601702123456","PRIORITY":"3","_SYSTEMD_UNIT":"x.service"}'],
  [
    'null, as the journal writes what is long',
    '{"__REALTIME_TIMESTAMP":"1795601702123456","PRIORITY":"3","MESSAGE":null}',
  ],
])("a journal's line whose message is %s is described once, by its whole line", (_, line) => {
  expect(describeEntry('json-journald', line)).toMatchObject({ message: line, fields: { PRIORITY: '3' } })
})

test('a wrapped message ends without the line end that its container wrote', () => {
  const line = '{"log":"goes on\\n","stream":"stderr","time":"2024-05-01T10:00:00.5Z"}'
  expect(describeEntry('json-docker', line).message).toBe('goes on')
})

test.each([
  [
    'json-docker',
    (text: string) => JSON.stringify({ log: `${text}\n`, stream: 'stderr', time: '2024-05-01T10:00:00.5Z' }),
  ],
  ['cri', (text: string) => `2024-05-01T10:00:00.123456789Z stderr F ${text}`],
  ['docker-compose', (text: string) => `shop-1  | ${text}`],
])('the message of a trace in the format %s has no line with its wrapping', (format, wrap) => {
  const trace = ['Traceback (most recent call last):', '  File "row.py", line 7, in <module>', '', 'ValueError: "no"']
  expect(describeEntry(format, trace.map(wrap).join('\n')).message).toBe(trace.join('\n'))
})

test('an id of 64 bits keeps its digits in the fields', () => {
  const line =
    '{"time":1714557600123456789,"level":"error","msg":"late","id":1234567890123456789,"in":{"ids":[-9223372036854775808,9007199254740993,7]}}'
  expect(describeEntry('json', line)).toMatchObject({
    fields: { id: '1234567890123456789', in: { ids: ['-9223372036854775808', '9007199254740993', 7] } },
    timestampRaw: '1714557600123456789',
  })
  expect(
    describeEntry('json', '{"msg":"n","text":":12345678901234567890","big":1e30,"id":9007199254740991}'),
  ).toMatchObject({
    fields: { text: ':12345678901234567890', big: 1e30, id: 9_007_199_254_740_991 },
  })
})
