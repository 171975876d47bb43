import { describe, expect, test } from 'vitest'
import { parseForTests as parse } from './parse-for-tests.ts'

const parsed = (...lines: string[]) => parse(`${lines.join('\n')}\n`).entries

describe('entries that end at a blank line or at a text', () => {
  test('an alert quotes lines of other programs up to the blank line after it', () => {
    const alert = [
      '** Alert 1714558830.2978: - syslog,sshd,',
      '2024 May 01 10:20:30 attic->/var/log/auth.log',
      "Rule: 5710 (level 5) -> 'An account was tried that there is none of'",
      'May  1 10:20:29 attic sshd[77]: Invalid user eve from 192.0.2.7',
    ]
    const other = ['** Alert 1714558890.3100: - syslog,', 'May  1 10:21:29 attic cron[7]: row 7 was counted']
    const entries = parsed(...alert, '', ...other)
    expect(entries.map(({ text }) => text)).toEqual([alert.join('\n'), other.join('\n')])
    expect(entries.map(({ time }) => time)).toEqual(['2024-05-01T10:20:30.000Z', '2024-05-01T10:21:30.000Z'])
  })

  test('a list of properties is one entry, with the time and the level that stand in the midst of it', () => {
    const lines = [
      'ProviderName : Shelf',
      'TimeCreated  : 5/14/2024 1:20:30 PM',
      'LevelDisplayName : Warning',
      'Message      : row 7 leans',
    ]
    const entries = parsed(...lines, '', ...lines)
    expect(entries.map(({ text }) => text)).toEqual([lines.join('\n'), lines.join('\n')])
    expect(entries.map(({ time, severity }) => [time, severity])).toEqual([
      ['2024-05-14T13:20:30.000Z', 'WARN'],
      ['2024-05-14T13:20:30.000Z', 'WARN'],
    ])
  })

  test('an entry goes on up to the line that ends it, which carries its time and its level', () => {
    const lines = [
      '<![LOG[the rows of shelf 7:',
      '2024-05-01 10:20:30 ERROR is written in one of them',
      'no more]LOG]!><time="14:24:33.250-060" date="06-26-2024" component="Shelf" context="" type="2" thread="7" file="row.cpp:7">',
    ]
    const next =
      '<![LOG[no room]LOG]!><time="14:24:34.250+000" date="06-26-2024" component="Shelf" context="" type="3" thread="7" file="">'
    const entries = parsed(...lines, next)
    expect(entries.map(({ text }) => text)).toEqual([lines.join('\n'), next])
    expect(entries.map(({ time, severity }) => [time, severity])).toEqual([
      ['2024-06-26T13:24:33.250Z', 'WARN'],
      ['2024-06-26T14:24:34.250Z', 'ERROR'],
    ])
  })

  test('one that nothing ends is left with what was there', () => {
    expect(parsed('<![LOG[the rows of shelf 7:', 'row 7').map(({ text }) => text)).toEqual([
      '<![LOG[the rows of shelf 7:\nrow 7',
    ])
  })
})
