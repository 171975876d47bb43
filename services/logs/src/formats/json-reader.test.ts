import { expect, test } from 'vitest'
import { severityOfCode } from '../entries/severity-code.ts'
import { describeEntry } from './describe-entry.ts'
import { createFileReader } from './detect.ts'
import { createHeader } from './header.ts'
import { utc } from './zone.ts'

const reader = createFileReader({ zone: utc, reference: Date.UTC(2026, 2, 1) })

test.each([
  ['info', 200, null],
  ['info', 404, 'WARN'],
  ['error', 401, 'ERROR'],
  ['error', 200, 'ERROR'],
  ['warn', 502, 'ERROR'],
  ['fatal', 502, 'CRITICAL'],
])('of the level %s and the status %i the worse counts', (level, status, severity) => {
  const header = createHeader()
  const line = { level, ts: 1_717_634_688, msg: 'handled request', request: { uri: '/y', method: 'GET' }, status }
  expect(reader.read(JSON.stringify(line), header)).toBe('json-caddy-access')
  expect(severityOfCode(header.severity ?? 0)).toBe(severity)
})

test('a failed request in the error log of Caddy has the reason as its message', () => {
  const header = createHeader()
  const line =
    '{"level":"error","ts":1717634688.5,"logger":"http.log.error","msg":"dial tcp 192.0.2.7:80: connect: connection refused","request":{"method":"GET","uri":"/y"},"status":502}'
  const format = reader.read(line, header) ?? ''
  expect(describeEntry(format, line).message).toBe('dial tcp 192.0.2.7:80: connect: connection refused')
  expect(severityOfCode(header.severity ?? 0)).toBe('ERROR')
})
