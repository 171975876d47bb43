import { expectLinear } from '@trellis/test/support/growth'
import { describe, expect, test } from 'vitest'
import type { Severity } from '../entries/severity-code.ts'
import { failureEvidence, probabilityOf } from './failure-evidence.ts'

const scoreOf = (message: string, severity: Severity | null = null) =>
  probabilityOf(failureEvidence(message, severity).logOdds)

describe('evidence of a failure in a message', () => {
  test.each<[string, string, Severity | null]>([
    ['a kernel that stopped', 'kernel panic - not syncing: no init found', 'CRITICAL'],
    ['a lost link', 'node <*>: link has been severed', 'ERROR'],
    ['a disk', 'write to <*>: I/O error', 'ERROR'],
    ['a neighbour that does not answer', 'cannot reach <*> of the ring', 'ERROR'],
    ['a lost connection at a low level', 'connection broken for peer <*>', 'WARN'],
    ['an exception', 'job <*> threw an exception', 'ERROR'],
    ['a level that no format recognised', '<*> unit FATAL pump <*> failed', null],
  ])('%s is a failure', (_, message, severity) => {
    expect(scoreOf(message, severity)).toBeGreaterThanOrEqual(0.5)
  })

  test.each<[string, string, Severity | null]>([
    ['a success', 'stored document <*> of kim', null],
    ['a repaired error', '<*> memory errors detected and corrected', 'ERROR'],
    ['a misspelt file name', 'cannot load <*>: no such file or directory', 'CRITICAL'],
    ['a folder without permission', 'opening <*> failed: permission denied', 'ERROR'],
    ['a wrong password', 'authentication failure; user=<*>', 'ERROR'],
    ['a register in a dump', 'FATAL exception syndrome register: <*>', 'CRITICAL'],
    ['a retry', 'upload of <*> failed, retrying in <*> seconds', 'WARN'],
    ['a level without a failure', 'FATAL wait state <*>', null],
    ['a word of failure without a level', 'the error pages were rendered', null],
  ])('%s is not a failure', (_, message, severity) => {
    expect(scoreOf(message, severity)).toBeLessThan(0.5)
  })

  test('the reasons for and against are listed', () => {
    expect(failureEvidence('mount failed on <*>, retrying', 'ERROR').because).toBe(
      'Its level is ERROR, it mentions a connection, a disk or a neighbour that was lost, it will be retried',
    )
  })

  test('a level in the text is used if the entry has none', () => {
    expect(failureEvidence('logrotate: ALERT exited abnormally with [<*>]', null).because).toMatch(
      /^It contains ALERT, /,
    )
  })

  test('a programming error is not a lost connection', () => {
    expect(failureEvidence("TypeError: Cannot read properties of undefined (reading '<*>')", 'ERROR').because).toBe(
      'Its level is ERROR, it mentions something that failed',
    )
  })

  test('the work for a hostile message is linear in its length', () => {
    for (const piece of ['a:', 'error in ', '=1 a', '<*> ', 'invalid or missing ', '/x: '])
      expectLinear(piece, (length) => failureEvidence(piece.repeat(Math.ceil(length / piece.length)), 'ERROR'))
  })
})
