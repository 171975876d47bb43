import { describe, expect, test } from 'vitest'
import { createCitationFilter, unfoundQuotations } from './citations.ts'

const filtered = (text: string, evidence: number, size = text.length) => {
  const filter = createCitationFilter(evidence)
  let shown = ''
  for (let start = 0; start < text.length; start += Math.max(size, 1))
    shown += filter.push(text.slice(start, start + size))
  return { text: shown + filter.end(), cited: filter.cited(), invented: filter.invented() }
}

describe('citations of a model', () => {
  test.each([
    ['The disk is full [2].', 'The disk is full [2].', [2], []],
    ['The disk is full [9].', 'The disk is full.', [], [9]],
    ['Both [1, 7] agree.', 'Both [1] agree.', [1], [7]],
    ['All [1-3] agree.', 'All [1-3] agree.', [1, 2, 3], []],
    ['Many [2–9000] agree.', 'Many [2] agree.', [2], [9000]],
    ['First [1][2] and [0].', 'First [1][2].', [1, 2], [0]],
    ['See [1] and [2] and [99]. Done.', 'See [1] and [2]. Done.', [1, 2], [99]],
    ['See [99] and [1], or [2].', 'See [1], or [2].', [1, 2], [99]],
    ['See [8], [9] and [1].', 'See [1].', [1], [8, 9]],
    ['Below [-1] and far [12345678901234567890].', 'Below and far.', [], [-1, Number('12345678901234567890')]],
    ['An array [x] and sshd[4242] stay.', 'An array [x] and sshd[4242] stay.', [], []],
  ])('of "%s" only those that exist are shown', (answer, shown, cited, invented) => {
    expect(filtered(answer, 3)).toEqual({ text: shown, cited, invented })
  })

  test('are checked wherever the answer is split', () => {
    const answer = 'It is full [2], [12], sshd[4242], and [ 1 , 3 ] agree; [see below] or [not'
    const whole = filtered(answer, 3)
    for (let size = 1; size < 12; size += 1) expect(filtered(answer, 3, size)).toEqual(whole)
    expect(whole.text).toBe('It is full [2], sshd[4242], and [ 1 , 3 ] agree; [see below] or [not')
  })
})

describe('quotations of a model', () => {
  const shown = ['kernel: Out of memory: Killed process 4242 (java)\n  at boot']

  test('pass if they are in the log, regardless of case, spacing and ellipses', () => {
    expect(
      unfoundQuotations('"out of memory: killed process 4242" and `Out of memory … (java) at boot.`', shown),
    ).toEqual([])
  })

  test('are returned if they are not in the log', () => {
    expect(unfoundQuotations('It logs "No space left on device" and "full".', shown)).toEqual([
      'No space left on device',
    ])
  })
})
