import { expect, test } from 'vitest'
import { readLogName } from './log-names.ts'

test.each([
  ['app.log', 'app.log', false, 'plain'],
  ['syslog', 'syslog', false, 'plain'],
  ['syslog.1', 'syslog', true, 'plain'],
  ['syslog.2.gz', 'syslog', true, 'gzip'],
  ['app.log.gz', 'app.log', true, 'gzip'],
  ['app.log.1.zst', 'app.log', true, 'zstd'],
  ['messages-20260301', 'messages', true, 'plain'],
  ['messages-20260301.gz', 'messages', true, 'gzip'],
  ['messages-20260301-1772323200.gz', 'messages', true, 'gzip'],
  ['app.log.2026-03-01', 'app.log', true, 'plain'],
  ['app-2026-03-01.log', 'app.log', true, 'plain'],
  ['app-2026-03-01.2.log', 'app.log', true, 'plain'],
  ['app.2.log', 'app.log', true, 'plain'],
  ['0.log.20260301-091502', '0.log', true, 'plain'],
  ['dmesg.old', 'dmesg', true, 'plain'],
  ['postgresql-2026-03-01_000000.log', 'postgresql.log', true, 'plain'],
  ['worker-12.log', 'worker-12.log', false, 'plain'],
  ['.gz', '.gz', false, 'plain'],
  ['2026-03-01.log', '2026-03-01.log', false, 'plain'],
])('the file %s is of the log %s (rotated: %s, %s)', (name, log, isRotated, packing) => {
  expect(readLogName(name)).toEqual({ log, isRotated, packing })
})
