import { expect, test } from 'vitest'
import { failureText } from './failures.ts'
import { skippedLines } from './skipped.ts'
import { slowestLines } from './slowest.ts'

test('skipped tests are counted by the reason in their titles, and listed if they have none', () => {
  const nats = 'nats-server was not found on the PATH; set NATS_SERVER_BIN to its path.'
  expect(
    skippedLines([
      `a bus on NATS (${nats}) > delivers once`,
      `a bus on NATS (${nats}) > delivers in order`,
      'the journal [skipped: systemd-journal-remote was not found] > is read',
      'a test that is not ready',
    ]),
  ).toEqual([
    `skipped  2 tests: ${nats}`,
    'skipped  1 test: systemd-journal-remote was not found',
    'skipped  1 test: a test that is not ready',
  ])
})

test('the most expensive files are listed by CPU time, most expensive first', () => {
  const costs = Array.from({ length: 20 }, (_, index) => ({ name: `file ${index}`, cpu: index, seconds: 2 * index }))
  const [head, first, ...others] = slowestLines(costs, 10)
  expect(head).toContain('of 20 test files, which took 190 s of CPU')
  expect(first).toMatch(/19\.0 s\s+38\.0 s\s+file 19$/)
  expect(others).toHaveLength(9)
})

test('a failure is printed with its difference and the line of the test, up to a limit', () => {
  const stack = 'Error: no\n    at check (/repo/check.ts:1:1)\n    at /repo/some.test.ts:4:2'
  expect(failureText({ message: 'expected 1 to be 2', diff: '- 2\n+ 1', stack })).toBe(
    'expected 1 to be 2\n- 2\n+ 1\nat /repo/some.test.ts:4:2',
  )
  expect(failureText({ message: 'x'.repeat(10_000) })).toHaveLength(6_002)
})
