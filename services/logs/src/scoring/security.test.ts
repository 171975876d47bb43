import { describe, expect, test } from 'vitest'
import { openEngineIn, temporaryFolder } from '../branches/stores-for-tests.ts'
import { createSecurityScoring } from './score-security.ts'

const begin = Date.parse('2026-03-01T10:00:00Z')
type Line = readonly [seconds: number, text: string]

/** What is found in lines of one source at such times. */
const findIn = async (lines: readonly Line[], since = 0) => {
  await using folder = await temporaryFolder()
  await using opened = await openEngineIn(folder.path)
  await opened.push(
    null,
    lines.map(([seconds, text], sequence) => ({
      text,
      sequence,
      source_id: 'attic',
      timestamp_iso: new Date(begin + seconds * 1000).toISOString(),
    })),
  )
  const range = {
    sourceId: 'attic',
    since: since === 0 ? 0 : begin + since * 1000,
    until: Number.MAX_SAFE_INTEGER,
    firstTime: begin,
  }
  return (await createSecurityScoring(opened.engine)(range, new AbortController().signal)).findings
}
const many = (count: number, every: number, textOf: (index: number) => string): Line[] =>
  Array.from({ length: count }, (_, index) => [index * every, textOf(index)])

const failed = (user: string, address: string) => `sshd[7]: Failed password for ${user} from ${address} port 37033 ssh2`
const request = (address: string, path: string, status: number) =>
  `${address} - - [01/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 77 "-" "Mozilla/5.0"`

const cases: [string, readonly Line[], string, string][] = [
  ['brute force', many(5, 2, () => failed('root', '192.0.2.7')), 'brute_force', '192.0.2.7'],
  ['slow brute force', many(10, 1_200, () => failed('root', '192.0.2.7')), 'slow_brute_force', '192.0.2.7'],
  [
    'user enumeration',
    many(4, 9, (index) => `sshd[7]: Invalid user kim${index} from 192.0.2.7 port 4022`),
    'user_enumeration',
    '192.0.2.7',
  ],
  [
    'distributed brute force',
    many(5, 9, (index) => failed('root', `192.0.2.${index}`)),
    'distributed_brute_force',
    'root',
  ],
  ['failures that name nobody', many(10, 3, () => 'app: login failed, wrong password'), 'sign_in_failures', 'attic'],
  ['brute force on the web', many(6, 3, () => request('192.0.2.7', '/admin', 401)), 'web_brute_force', '192.0.2.7'],
  [
    'a scan of a web server',
    many(10, 3, (index) => request('192.0.2.7', `/x${index}.php`, 404)),
    'web_scan',
    '192.0.2.7',
  ],
  [
    'a scan of ports',
    many(
      10,
      3,
      (index) =>
        `kernel: [UFW BLOCK] IN=eth0 OUT= MAC=00 SRC=192.0.2.7 DST=192.0.2.1 PROTO=TCP SPT=5 DPT=${20 + index}`,
    ),
    'port_scan',
    '192.0.2.7',
  ],
  [
    'a sign-in after failures',
    [
      ...many(5, 60, () => failed('root', '192.0.2.7')),
      [400, 'sshd[7]: Accepted password for root from 192.0.2.7 port 37033 ssh2'],
    ],
    'sign_in_after_failures',
    '192.0.2.7',
  ],
]

describe('security by rate, address and account', () => {
  test.each(cases)('%s is found, once, with all that speaks for it', async (_, lines, label, subject) => {
    const found = (await findIn(lines)).filter((finding) => finding.label === label)
    expect(found.map((finding) => finding.subject)).toEqual([subject])
    expect(found[0]?.reason).toContain(subject)
    expect(found[0]?.count).toBe(lines.length)
  })

  test.each<[string, readonly Line[]]>([
    [
      'a person who mistypes a password and then signs in',
      [
        [0, failed('kim', '192.0.2.7')],
        [5, failed('kim', '192.0.2.7')],
        [9, 'sshd[7]: Accepted password for kim from 192.0.2.7 port 4 ssh2'],
      ],
    ],
    ['failures of a week', many(9, 70_000, () => failed('kim', '192.0.2.7'))],
    ['people who read pages', many(60, 1, (index) => request(`192.0.2.${index % 9}`, `/docs/${index}`, 200))],
    ['one page that is missing', many(60, 1, () => request('192.0.2.7', '/favicon.ico', 404))],
    ['what goes well', many(50, 1, (index) => `app: user kim${index} saved the document`)],
  ])('%s is no attack', async (_, lines) => {
    expect(await findIn(lines)).toEqual([])
  })

  test('the same address after a long pause is another time', async () => {
    const first = many(6, 2, () => failed('root', '192.0.2.7'))
    const later = first.map(([seconds, text]): Line => [seconds + 7_200, text])
    const found = (await findIn([...first, ...later])).filter(({ label }) => label === 'brute_force')
    expect(found.map(({ count }) => count)).toEqual([6, 6])
  })

  test('what was over before is not found again, and what goes on is found with its beginning', async () => {
    const lines = many(8, 10, () => failed('root', '192.0.2.7'))
    expect(await findIn(lines, 1_000)).toEqual([])
    expect((await findIn(lines, 60)).find(({ label }) => label === 'brute_force')?.count).toBe(8)
  })

  test('lines that give an attack away are one finding for each sign and address', async () => {
    const lines = many(30, 5, (index) =>
      request(`192.0.2.${index % 2}`, `/item?id=${index}%27%20UNION%20SELECT%201,2`, 500),
    )
    const found = (await findIn(lines)).filter(({ label }) => label === 'sql_injection')
    expect(found.map(({ subject, count }) => [subject, count]).toSorted()).toEqual([
      ['192.0.2.0', 15],
      ['192.0.2.1', 15],
    ])
  })
})
