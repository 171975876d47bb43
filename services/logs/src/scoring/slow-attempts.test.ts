import { describe, expect, test } from 'vitest'
import { addressesInName } from './address-in-name.ts'
import { securityEventsOf } from './security-events.ts'
import { entryForTests, failed, findIn, type Line, many } from './security-for-tests.ts'
import { createSlowAttempts } from './slow-attempts.ts'

const hour = 3_600
const mailFailed = (user: string, address: string) =>
  `imapd: login of <${user}> rejected: authentication failed, user=<${user}> ip=${address}`
const signedIn = (user: string, address: string) => `sshd[7]: Accepted password for ${user} from ${address} port 4 ssh2`

const slowOf = async (lines: readonly Line[], since = 0) =>
  (await findIn(lines, since))
    .filter(({ label }) => label.startsWith('slow_'))
    .map(({ label, subject }) => [label, subject])

describe('attempts that are hours apart', () => {
  test.each<[string, readonly Line[], string, string]>([
    [
      'one address that tries one account all day',
      many(9, 2 * hour, () => failed('kim', '192.0.2.7')),
      'slow_brute_force',
      '192.0.2.7',
    ],
    [
      'one address that tries another account each hour',
      many(5, hour, (index) => mailFailed(`person${index}`, '192.0.2.7')),
      'slow_user_enumeration',
      '192.0.2.7',
    ],
    [
      'many addresses that try one account',
      many(6, hour, (index) => failed('kim', `192.0.2.${index}`)),
      'slow_distributed_brute_force',
      'kim',
    ],
  ])('%s is found', async (_, lines, label, subject) => {
    expect(await slowOf(lines)).toContainEqual([label, subject])
  })

  test.each<[string, readonly Line[]]>([
    [
      'a person who mistypes a password each hour and then signs in',
      many(12, hour, () => failed('kim', '192.0.2.7')).flatMap(([seconds, text]): Line[] => [
        [seconds, text],
        [seconds + 9, signedIn('kim', '192.0.2.7')],
      ]),
    ],
    ['failures once a day', many(12, 24 * hour, () => failed('kim', '192.0.2.7'))],
    ['three failures and no more', many(3, hour, () => failed('kim', '192.0.2.7'))],
    [
      'colleagues behind one address who finally sign in',
      many(6, hour, (index) => failed(`kim${index}`, '192.0.2.7')).flatMap(([seconds, text], index): Line[] => [
        [seconds, text],
        [seconds + 9, signedIn(`kim${index}`, '192.0.2.7')],
      ]),
    ],
  ])('%s is no attack', async (_, lines) => {
    expect(await slowOf(lines)).toEqual([])
  })

  test('the earlier attempts of an address are looked up when it fails again', async () => {
    const lines = many(12, 3 * hour, () => failed('kim', '192.0.2.7'))
    const [finding] = (await findIn(lines, 33 * hour - 60)).filter(({ label }) => label === 'slow_brute_force')
    expect(finding?.count).toBe(12)
    expect(finding?.reason).toMatch(/^12 failed sign-ins from 192\.0\.2\.7 within 33 hours/)
    expect(await slowOf(lines, 40 * hour)).toEqual([])
  })

  test.each([499, 500, 501, 999, 1_000, 1_300])('of %s attempts the last five hundred are stored', (count) => {
    const slow = createSlowAttempts()
    for (const [seconds, text] of many(count, 60, () => failed('kim', '192.0.2.7')))
      for (const event of securityEventsOf(entryForTests(text, seconds))) slow.add(event)
    const finding = slow.findings().find(({ label }) => label === 'slow_brute_force')
    const stored = Math.min(count, 500)
    expect(finding?.count).toBe(stored)
    expect(finding?.times).toEqual({ first: (count - stored) * 60_000, last: (count - 1) * 60_000 })
    expect(slow.suspects((count - 700) * 60_000).length).toBeGreaterThan(0)
  })

  test('a host that is logged by name and by address is one', async () => {
    const lines = many(9, 2 * hour, String).flatMap(([seconds, text]): Line[] => [
      [
        seconds,
        `sshd[${text}]: pam_unix(sshd:auth): authentication failure; rhost=ec2-192-0-2-7.example.net  user=kim`,
      ],
      [seconds + 2, `sshd[${text}]: Failed password for kim from 192.0.2.7 port 37033 ssh2`],
    ])
    const slow = (await findIn(lines)).filter(({ label }) => label.startsWith('slow_'))
    expect(slow.map(({ subject }) => subject)).toEqual(['192.0.2.7'])
    expect(slow[0]?.reason).toMatch(/^9 failed sign-ins from 192\.0\.2\.7 /)
  })

  test.each([
    ['ip-192-0-2-7.cn-north-1.compute.example.net', ['192.0.2.7', '7.2.0.192']],
    ['ec2-192-0-2-7.example.net', ['2.192.0.2', '2.0.192.2', '192.0.2.7', '7.2.0.192']],
    ['7.2.0.192.dsl.example.net', ['7.2.0.192', '192.0.2.7']],
    ['192.0.2.7', []],
    ['mail-2.example.net', []],
    ['a-300-1-2-3.example.net', []],
  ])('the addresses that %s may contain', (name, addresses) => {
    expect(addressesInName(name)).toEqual(addresses)
  })

  test('the score rises with the number of attempts and stays below 0.9', async () => {
    const scoreOf = async (count: number) =>
      (await findIn(many(count, hour, () => failed('kim', '192.0.2.7')))).find(
        ({ label }) => label === 'slow_brute_force',
      )?.score ?? 0
    const [few, many20] = [await scoreOf(6), await scoreOf(20)]
    expect(few).toBeGreaterThanOrEqual(0.5)
    expect(many20).toBeGreaterThan(few)
    expect(many20).toBeLessThan(0.9)
  })
})
