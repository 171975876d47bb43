import { expectLinear } from '@trellis/test/support/growth'
import { describe, expect, test } from 'vitest'
import type { Severity } from '../entries/severity-code.ts'
import { failureEvidence, probabilityOf } from './failure-evidence.ts'

const scoreOf = (message: string, severity: Severity | null = null) =>
  probabilityOf(failureEvidence(message, severity).logOdds)

describe('what a message by itself tells of a fault', () => {
  test.each<[string, string, Severity | null]>([
    ['a kernel that stopped', 'kernel panic - not syncing: no init found', 'CRITICAL'],
    ['a lost link', 'node <*>: link has been severed', 'ERROR'],
    ['a disk', 'write to <*>: I/O error', 'ERROR'],
    ['a neighbour that does not answer', 'cannot reach <*> of the ring', 'ERROR'],
    ['a lost connection at a low level', 'connection broken for peer <*>', 'WARN'],
    ['an exception', 'job <*> threw an exception', 'ERROR'],
    ['a level that no format took for one', '<*> unit FATAL pump <*> failed', null],
  ])('%s is told of', (_, message, severity) => {
    expect(scoreOf(message, severity)).toBeGreaterThanOrEqual(0.5)
  })

  test.each<[string, string, Severity | null]>([
    ['what goes well', 'stored document <*> of kim', null],
    ['what was repaired', '<*> memory errors detected and corrected', 'ERROR'],
    ['a file that somebody misspelt', 'cannot load <*>: no such file or directory', 'CRITICAL'],
    ['a folder that is not for everybody', 'opening <*> failed: permission denied', 'ERROR'],
    ['a wrong password', 'authentication failure; user=<*>', 'ERROR'],
    ['a register in a dump', 'FATAL exception syndrome register: <*>', 'CRITICAL'],
    ['what is tried again', 'upload of <*> failed, retrying in <*> seconds', 'WARN'],
    ['a level and nothing else', 'FATAL wait state <*>', null],
    ['a word of failure at no level', 'the error pages were rendered', null],
  ])('%s is not', (_, message, severity) => {
    expect(scoreOf(message, severity)).toBeLessThan(0.5)
  })

  test('it says what speaks for it, and for less', () => {
    expect(failureEvidence('mount failed on <*>, retrying', 'ERROR').because).toBe(
      'Its level is ERROR, it mentions a connection, a disk or a neighbour that was lost, it will be tried again',
    )
  })

  test('a level that stands in the text and is none of the entry is told of as said', () => {
    expect(failureEvidence('logrotate: ALERT exited abnormally with [<*>]', null).because).toMatch(/^It says ALERT, /)
  })

  test('a mistake in a program is no lost connection', () => {
    expect(failureEvidence("TypeError: Cannot read properties of undefined (reading '<*>')", 'ERROR').because).toBe(
      'Its level is ERROR, it mentions something that failed',
    )
  })

  test('the work of a hostile message grows with its length alone', () => {
    for (const piece of ['a:', 'error in ', '=1 a', '<*> ', 'invalid or missing ', '/x: '])
      expectLinear(piece, (length) => failureEvidence(piece.repeat(Math.ceil(length / piece.length)), 'ERROR'))
  })
})
