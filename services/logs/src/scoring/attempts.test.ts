import { expect, test } from 'vitest'
import { createAttemptCounter } from './attempts.ts'
import { securityEventsOf } from './security-events.ts'
import { entryForTests } from './security-for-tests.ts'

type Line = readonly [seconds: number, text: string]

/** The number of attempts that each line adds. */
const countsOf = (lines: readonly Line[]): number[] => {
  const attemptsOf = createAttemptCounter()
  return lines.flatMap(([seconds, text]) => securityEventsOf(entryForTests(text, seconds)).slice(0, 1).map(attemptsOf))
}
const failure = 'sshd[7]: pam_unix(sshd:auth): authentication failure; logname= uid=0 ruser= rhost=192.0.2.7'
const refused = 'sshd[7]: Failed password for kim from 192.0.2.7 port 37033 ssh2'
const notified = 'sshd[7]: error: Received disconnect from 192.0.2.7: 3: Auth fail [preauth]'

test.each<[string, readonly Line[], number[]]>([
  [
    'the lines of one attempt count once',
    [
      [0, failure],
      [12, refused],
      [12, notified],
    ],
    [1, 0, 0],
  ],
  [
    'the lines about an account that may not sign in, and about the last attempt of many, belong to an attempt',
    [
      [0, 'sshd[7]: User kim from 192.0.2.7 not allowed because not listed in AllowUsers'],
      [2, refused],
      [2, 'sshd[7]: error: maximum authentication attempts exceeded for kim from 192.0.2.7 port 37033 ssh2 [preauth]'],
    ],
    [1, 0, 0],
  ],
  [
    'a repeated wording is another attempt',
    [
      [0, refused],
      [2, refused],
      [4, notified],
    ],
    [1, 1, 0],
  ],
  [
    'another wording after a pause is another attempt',
    [
      [0, failure],
      [60, refused],
    ],
    [1, 1],
  ],
  [
    'processes are counted separately, even if their lines are interleaved',
    [
      [0, failure],
      [0, failure.replace('[7]', '[8]')],
      [2, refused],
      [2, refused.replace('[7]', '[8]')],
    ],
    [1, 1, 0, 0],
  ],
  [
    'accounts and addresses are counted separately',
    [
      [0, 'sshd[7]: Invalid user ann from 192.0.2.7 port 4'],
      [1, refused],
      [2, failure.replace('192.0.2.7', '192.0.2.8')],
    ],
    [1, 1, 1],
  ],
  [
    'a line without a process is an attempt',
    [
      [0, failure.replace('[7]', '')],
      [1, refused.replace('[7]', '')],
    ],
    [1, 1],
  ],
])('%s', (_, lines, counts) => {
  expect(countsOf(lines)).toEqual(counts)
})
