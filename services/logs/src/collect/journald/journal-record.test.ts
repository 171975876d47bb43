import { describe, expect, test } from 'vitest'
import { severityOfCode } from '../../entries/severity-code.ts'
import { journalRecord } from './journal-record.ts'

const read = (fields: Record<string, string | Buffer>) =>
  journalRecord(
    new Map(
      Object.entries({ MESSAGE: 'hello', __REALTIME_TIMESTAMP: '1717495200123456', ...fields }).map(([name, value]) => [
        name,
        Buffer.from(value as string),
      ]),
    ),
    (unit) => `journald:cellar:${unit}`,
  )

describe('an entry of a journal', () => {
  test.each([
    ['of a service', { _SYSTEMD_UNIT: 'ssh.service' }, 'journald:cellar:ssh'],
    ['of another unit', { _SYSTEMD_UNIT: 'apt.timer' }, 'journald:cellar:apt.timer'],
    ['about a unit', { UNIT: 'nginx.service', _SYSTEMD_UNIT: 'init.scope' }, 'journald:cellar:nginx'],
    ['of the kernel', { _TRANSPORT: 'kernel', SYSLOG_IDENTIFIER: 'kernel' }, 'journald:cellar:kernel'],
    ['of a login', { _SYSTEMD_UNIT: 'session-71.scope', SYSLOG_IDENTIFIER: 'sudo' }, 'journald:cellar:sudo'],
    ['of an unknown program', {}, 'journald:cellar:unknown'],
    ['with colons in its name', { SYSLOG_IDENTIFIER: 'a:b c' }, 'journald:cellar:a_b_c'],
  ])('%s has a source of its own', (_, fields, sourceId) => {
    expect(read(fields)?.sourceId).toBe(sourceId)
  })

  test.each([
    ['0', 'CRITICAL'],
    ['2', 'CRITICAL'],
    ['3', 'ERROR'],
    ['4', 'WARN'],
    ['5', null],
    ['7', null],
  ])('of priority %s is %s', (PRIORITY, severity) => {
    expect(severityOfCode(read({ PRIORITY })?.severity ?? -1)).toBe(severity)
    expect(read({ PRIORITY })?.severity).toBeDefined()
  })

  test('that a program printed has the severity of its text, unless it has a priority', () => {
    expect(read({ PRIORITY: '6', _TRANSPORT: 'stdout' })?.severity).toBeUndefined()
    expect(severityOfCode(read({ PRIORITY: '3', _TRANSPORT: 'stdout' })?.severity ?? 0)).toBe('ERROR')
  })

  test('of a container has its name, and the severity of its text: the priority only indicates the output', () => {
    const written = {
      _TRANSPORT: 'journal',
      _SYSTEMD_UNIT: 'docker.service',
      CONTAINER_ID: 'f00',
      CONTAINER_NAME: 'web',
    }
    const [out, error] = ['6', '3'].map((PRIORITY) => read({ ...written, PRIORITY, MESSAGE: 'listening\n' }))
    expect(out).toMatchObject({ sourceId: 'journald:cellar:web', text: 'listening', severity: undefined })
    expect(out?.hint).toBeUndefined()
    expect(error?.severity).toBeUndefined()
    expect(severityOfCode(error?.hint ?? 0)).toBe('WARN')
    expect(error?.stream).not.toBe(out?.stream)
  })

  test('has the time of the journal and the number in its cursor', () => {
    const record = read({ __CURSOR: 's=65;i=1f;b=01;m=3e8;t=61a0;x=cd' })
    expect(record).toMatchObject({ time: 1_717_495_200_123, sequence: 31 })
  })

  test('without a cursor is ordered within its millisecond', () => {
    const [first, second] = [read({}), read({ __REALTIME_TIMESTAMP: '1717495200123457' })]
    expect(first?.time).toBe(second?.time)
    expect(first?.sequence).toBeLessThan(second?.sequence ?? 0)
  })

  test('has replacement characters for bytes that are not UTF-8, and no binary fields', () => {
    const record = read({ MESSAGE: Buffer.from('caf\xe9\0!', 'latin1'), BLOB: Buffer.from([0, 255]), _PID: '7' })
    expect(record?.text).toBe('caf��!')
    expect(record?.fields).toEqual({ _PID: '7' })
  })

  test('without a message is not a record', () => {
    expect(read({ MESSAGE: '' })).toBeUndefined()
  })
})
