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
