import { expect, test } from 'vitest'
import { severityOfCode } from '../entries/severity-code.ts'
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
