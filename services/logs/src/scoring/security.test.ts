import { describe, expect, test } from 'vitest'
import { failed, findIn, type Line, many, request } from './security-for-tests.ts'

const renamed = (path: string, ending: string) =>
  `smbd_audit[77]: kim|192.0.2.7|shop|renameat|ok|${path}|${path}${ending}`

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
  ['failures without a user name', many(10, 3, () => 'app: login failed, wrong password'), 'sign_in_failures', 'attic'],
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
  ['failures faster than a person types', many(4, 1, () => failed('kim', '192.0.2.7')), 'brute_force', '192.0.2.7'],
  [
    'aborted sign-ins',
    many(5, 9, () => 'sshd[7]: Disconnected from authenticating user kim 192.0.2.7 port 4022 [preauth]'),
    'brute_force',
    '192.0.2.7',
  ],
  [
    'guesses at default accounts',
    many(3, 400, (index) => failed(['root', 'admin', 'oracle'][index] ?? '', '192.0.2.7')),
    'default_account_probe',
    '192.0.2.7',
  ],
  [
    'guesses at default accounts from many addresses',
    many(5, 400, (index) => failed(['root', 'admin', 'oracle', 'test', 'ubuntu'][index] ?? '', `192.0.2.${index}`)),
    'default_account_probe',
    'attic',
  ],
  [
    'an account that signs in from two networks at once',
    many(2, 60, (index) => `sshd[7]: Accepted password for kim from ${index + 4}.0.2.7 port 37033 ssh2`),
    'sign_in_from_two_places',
    'kim',
  ],
  [
    'a sign-in form that is sent repeatedly',
    many(6, 5, () => request('192.0.2.7', '/login', 200).replace('GET', 'POST')),
    'web_brute_force',
    '192.0.2.7',
  ],
  [
    'a search for consoles',
    many(3, 60, (index) => request('192.0.2.7', ['/phpmyadmin/', '/manager/html', '/wp-login.php'][index] ?? '', 404)),
    'admin_probe',
    '192.0.2.7',
  ],
  [
    'a client that changes its user agent',
    many(6, 3, (index) => request('192.0.2.7', '/', 403).replace('Mozilla/5.0', `Browser/${index}`)),
    'agent_switching',
    '192.0.2.7',
  ],
  [
    'a flood of requests over the limit',
    many(6, 3, () => request('192.0.2.7', '/', 429)),
    'request_flood',
    '192.0.2.7',
  ],
  [
    'refused queries',
    many(5, 3, () => 'named: client 192.0.2.7#53 (example.net): query (cache) denied'),
    'name_server_probe',
    '192.0.2.7',
  ],
  [
    'spam',
    many(4, 60, () => 'smtp: rejected RCPT <kim@example.net> from [192.0.2.7]: no such box'),
    'spam_attempts',
    '192.0.2.7',
  ],
  [
    'stolen cards that are tested',
    many(4, 9, () => '{"type":"PAYMENT_FAILED","ip":"192.0.2.7"}'),
    'card_testing',
    '192.0.2.7',
  ],
  [
    'stolen cards that are tested from many addresses',
    many(10, 5, (index) => `{"type":"PAYMENT_FAILED","ip":"192.0.2.${index}"}`),
    'card_testing',
    'attic',
  ],
  [
    'renames to an extension of ransomware',
    many(12, 1, (index) => renamed(`/srv/plan${index}.docx`, '.locked')),
    'file_encryption',
    '192.0.2.7',
  ],
  [
    'one extension appended to files of many types',
    many(8, 2, (index) => renamed(`/srv/plan.${'docx xlsx pptx jpeg pdf-a psd dwg odt'.split(' ')[index]}`, '.q7fh')),
    'file_encryption',
    '192.0.2.7',
  ],
  [
    'renames to an extension of ransomware without an address',
    many(
      10,
      1,
      (index) => `smbd_audit[${index}]: kim|shop|renameat|ok|/srv/plan${index}.docx|/srv/plan${index}.docx.wncry`,
    ),
    'file_encryption',
    'attic',
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
  test.each(cases)('%s is found once, with all supporting entries', async (_, lines, label, subject) => {
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
    [
      'a person who signs in at home and at the office',
      many(6, 1, (index) => `sshd[7]: Accepted password for kim from 192.168.${index}.7 port 37033 ssh2`),
    ],
    ['a console that is there', many(9, 9, (index) => request('192.0.2.7', `/phpmyadmin/${index}`, 200))],
    ['a console that is missing', many(9, 9, () => request('192.0.2.7', '/wp-login.php', 404))],
    ['two payments that failed', many(2, 9, () => '{"type":"PAYMENT_FAILED","ip":"192.0.2.7"}')],
    [
      'people who sign in with a form',
      many(30, 2, (index) => request(`192.0.2.${index}`, '/login', 302).replace('GET', 'POST')),
    ],
    [
      'late replies of a server',
      many(
        30,
        1,
        (index) =>
          `kernel: [UFW BLOCK] IN=eth0 OUT= SRC=192.0.2.7 DST=192.168.1.5 PROTO=TCP SPT=443 DPT=${50_000 + index}`,
      ),
    ],
    ['one page that is missing', many(60, 1, () => request('192.0.2.7', '/favicon.ico', 404))],
    [
      'a page whose pictures are missing',
      many(30, 1, (index) => request('192.0.2.7', `/shop/plates/${index}.png?v=2`, 404)),
    ],
    ['a few files that were locked by hand', many(4, 9, (index) => renamed(`/srv/plan${index}.docx`, '.locked'))],
    ['files that an editor saves', many(60, 1, (index) => renamed(`/srv/plan${index}.docx`, '.bak'))],
    ['photographs that are sorted', many(60, 1, (index) => renamed(`/srv/${index}.jpeg`, '.sorted'))],
    ['files that were locked over a day', many(60, 600, (index) => renamed(`/srv/plan${index}.docx`, '.locked'))],
    ['successes', many(50, 1, (index) => `app: user kim${index} saved the document`)],
  ])('%s is no attack', async (_, lines) => {
    expect(await findIn(lines)).toEqual([])
  })

  test('several lines of one process about one attempt count once', async () => {
    const attempt = (process: number, user: string): string[] => [
      `sshd[${process}]: Invalid user ${user} from 192.0.2.7`,
      `sshd[${process}]: pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.7`,
      `sshd[${process}]: Failed password for invalid user ${user} from 192.0.2.7 port 56539 ssh2`,
      `sshd[${process}]: error: Received disconnect from 192.0.2.7: 3: com.jcraft.jsch.JSchException: Auth fail [preauth]`,
    ]
    const attempts = (count: number, every: number) =>
      Array.from({ length: count }, (_, index) =>
        attempt(24_324 + index, 'kim').map((text, line): Line => [index * every + line, text]),
      ).flat()
    expect(await findIn(attempts(2, 6))).toEqual([])
    expect(await findIn(attempts(2, 1_800))).toEqual([])
    expect((await findIn(attempts(5, 6))).map(({ label }) => label)).toEqual(['brute_force'])
  })

  test('a reason describes the whole episode, not the moment at which the threshold was reached', async () => {
    const lines = many(150, 2, (index) => (index === 20 ? failed('ann', '192.0.2.7') : failed('kim', '192.0.2.7')))
    const [finding] = (await findIn(lines)).filter(({ label }) => label === 'brute_force')
    expect(finding).toMatchObject({ count: 150, reason: '150 failed sign-ins from 192.0.2.7 within 5 minutes.' })
    expect(finding?.times).toEqual({ first: expect.any(Number), last: (finding?.times?.first ?? 0) + 298_000 })
    const fast = Array.from({ length: 4 }, (_, burst) =>
      many(4, 1, () => failed('kim', '192.0.2.7')).map(([seconds, text]): Line => [seconds + burst * 30, text]),
    ).flat()
    expect((await findIn(fast)).map(({ count, reason }) => [count, reason])).toContainEqual([
      16,
      expect.stringMatching(/^16 failed sign-ins from 192\.0\.2\.7 within 93 s/),
    ])
  })

  test('a reason includes the number of entries if an attempt has several', async () => {
    const lines = many(
      10,
      3,
      (index) =>
        [
          `sshd[${20 + (index >> 1)}]: authentication failure; rhost=192.0.2.7`,
          `sshd[${20 + (index >> 1)}]: Failed password for kim from 192.0.2.7 port 4 ssh2`,
        ][index % 2] ?? '',
    )
    expect((await findIn(lines)).map(({ reason }) => reason)).toContain(
      '5 failed sign-ins from 192.0.2.7 within 27 s, in 10 entries.',
    )
  })

  test('the same address after a long pause is a new finding', async () => {
    const first = many(6, 2, () => failed('root', '192.0.2.7'))
    const later = first.map(([seconds, text]): Line => [seconds + 7_200, text])
    const found = (await findIn([...first, ...later])).filter(({ label }) => label === 'brute_force')
    expect(found.map(({ count }) => count)).toEqual([6, 6])
  })

  test('an episode that ended earlier is not found again, and one that continues is found with its beginning', async () => {
    const lines = many(8, 10, () => failed('root', '192.0.2.7'))
    expect(await findIn(lines, 1_000)).toEqual([])
    expect((await findIn(lines, 60)).find(({ label }) => label === 'brute_force')?.count).toBe(8)
  })

  test('lines with signs of attacks are one finding per sign and address', async () => {
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
