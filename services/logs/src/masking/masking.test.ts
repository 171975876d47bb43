import { expectLinear } from '@trellis/test/support/growth'
import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namePatterns } from '../anonymize/usernames.ts'
import { maskText } from './mask-text.ts'
import { createMasker } from './masker.ts'
import { createPlaceholders, restoreText } from './placeholders.ts'

const masked = (text: string) => maskText(text)

describe('the sanitize option', () => {
  test.each([
    ['IPv4 addresses', 'from 192.0.2.7 port 22', 'from [ip4-1] port 22'],
    ['e-mail addresses', 'to=<ann.lee@mail.example.com>, relay', 'to=<[email-1]>, relay'],
    ['user= values', 'login user=alice ok', 'login user=[user-1] ok'],
    ['host= values', 'up host=web1.lan ok', 'up host=[host-1] ok'],
    ['password values', 'try password=hunter2 ok', 'try password=[password] ok'],
  ])('masks %s in entry text', (_, text, expected) => {
    expect(masked(text)).toBe(expected)
  })
})

describe('masking', () => {
  test.each([
    ['IPv6', '[2001:db8::7]:443', '[[ip6-1]]:443'],
    ['a MAC address', 'device 00:1B:44:11:3a:b7 joined', 'device [mac-1] joined'],
    [
      'an address beside a Java class',
      '[/10.10.34.11:3888:Manager$Listener@493]',
      '[/[ip4-1]:3888:Manager$Listener@493]',
    ],
    ['an address in a host name', 'at ip-10-0-3-17.ec2.internal', 'at ip-[ip4-1].ec2.internal'],
    ['an address under a key that is not a secret', 'auth=192.0.2.177', 'auth=[ip4-1]'],
    ['an IPv4 address as a host', 'host=192.0.2.7', 'host=[ip4-1]'],
    ['an IPv6 address as a host', 'host=2001:db8::7', 'host=[ip6-1]'],
    ['an e-mail address as a user', 'user=ann@example.com', 'user=[email-1]'],
    [
      'a line of an access log',
      '192.0.2.7 - ann [12/Jan/2024:03:56:14 +0330] "GET /"',
      '[ip4-1] - [user-1] [12/Jan/2024:03:56:14 +0330] "GET /"',
    ],
    [
      'JSON',
      '{"user":"ann","password":"a\\"b","host":"db","n":1}',
      '{"user":"[user-1]","password":"[password]","host":"[host-1]","n":1}',
    ],
    ['JSON in JSON', '"{\\"password\\":\\"x y\\",\\"b\\":1}"', '"{\\"password\\":\\"[password]\\",\\"b\\":1}"'],
    ['credentials in a URL', 'postgresql://me:s3cr@t@db:5432/x', 'postgresql://[credentials]@db:5432/x'],
    ['a header', 'Authorization: Basic YW5uOmh1bnRlcjI=', 'Authorization: Basic [token]'],
    ['a bearer token', 'sent bearer abcDEF123456', 'sent bearer [token]'],
    ['a JWT', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'got [token]'],
    ['an AWS key', 'id AKIAIOSFODNN7EXAMPLE', 'id [token]'],
    ['a GitHub token', `push ghp_${'aB3'.repeat(12)}`, 'push [token]'],
    ['a Slack token', 'with xoxb-123456789012-abcdefGHI', 'with [token]'],
    ['a random value under a key for secrets', 'session=9f86d081884c7d659a2feaa0c55ad015', 'session=[token]'],
    ['an API key', "api_key='abc,def'", "api_key='[token]'"],
    ['a password in the environment', 'PGPASSWORD=x psql', 'PGPASSWORD=[password] psql'],
    ['a password on a command line', 'mysql --password hunter2 -h x', 'mysql --password [password] -h x'],
    ['a quoted password after a short option', "mysql -u root -p'x y' shop", "mysql -u root -p'[password]' shop"],
    [
      'an unquoted password after a short option',
      'mysqldump -h db -phunter2 shop',
      'mysqldump -h db -p[password] shop',
    ],
    ['a password of sshpass', 'sshpass -p "a b" ssh x', 'sshpass -p "[password]" ssh x'],
    ['a password of redis-cli', 'redis-cli -h x -a hunter2 ping', 'redis-cli -h x -a [password] ping'],
    ['a password with a comma', 'password=a,b ok', 'password=[password] ok'],
    ['a password with a semicolon', 'password=a;b, ok', 'password=[password], ok'],
    ['a password before a key', 'password=ab,port=7;x', 'password=[password],port=7;x'],
    ['a password in a connection string', 'Password=a,b;Server=x', 'Password=[password];Server=x'],
    ['a password in SQL', "IDENTIFIED BY 'x y'", "IDENTIFIED BY '[password]'"],
    ['a password of a role', "ALTER ROLE shop WITH PASSWORD 'x y'", "ALTER ROLE shop WITH PASSWORD '[password]'"],
    [
      'the first password of a database',
      'A temporary password is generated for root@localhost: x>ksd(8dw_)',
      'A temporary password is generated for root@localhost: [password]',
    ],
    [
      'the first password of a web interface',
      'The password was not set. A temporary password is provided for this session: 6CPjv8hTz',
      'The password was not set. A temporary password is provided for this session: [password]',
    ],
    [
      'a password in a line of its own',
      'use the following password to proceed:\n\n0d5b8c2e6f5a4a4f\n\nIt is stored.',
      'use the following password to proceed:\n\n[password]\n\nIt is stored.',
    ],
    [
      'a password in a sentence',
      'Password for the admin user is hunter22.',
      'Password for the admin user is [password].',
    ],
    ['a quoted password in a sentence', 'set password to "correct horse"', 'set password to "[password]"'],
    ['a password of curl', 'curl -s -u ann:hunter2 https://x', 'curl -s -u ann:[password] https://x'],
    ['a password in XML', '<db><password>x y</password></db>', '<db><password>[password]</password></db>'],
    [
      'the key of a wireless network',
      'ssid="home" wpa_psk="x y" psk=abc',
      'ssid="home" wpa_psk="[password]" psk=[password]',
    ],
    ['a password in German', 'Passwort: abc kennwort=def', 'Passwort: [password] kennwort=[password]'],
    ['short numbers that grant access', 'PIN=4711 otp: 123456.', 'PIN=[password] otp: [password].'],
    ['the code of a sign-in', '{"verification_code":"483920","pin":17}', '{"verification_code":"[password]","pin":17}'],
    ['cookies', 'Cookie: theme=dark; session=abc', 'Cookie: [token]'],
    ['cookies in JSON', '{"cookie":["a=1; b=2"],"n":1}', '{"cookie":["[token]"],"n":1}'],
    ['credentials of a mail server', '< AUTH PLAIN AGFubgBodW50ZXIy', '< AUTH PLAIN [token]'],
    [
      'the token of a bot in a URL',
      `POST https://api.telegram.org/bot110201543:AA${'aB3'.repeat(11)}/sendMessage`,
      'POST https://api.telegram.org/bot[token]/sendMessage',
    ],
    [
      'the token of a webhook',
      `https://discord.com/api/webhooks/1234567890/${'aB3'.repeat(11)}`,
      'https://discord.com/api/webhooks/1234567890/[token]',
    ],
    [
      'a private key',
      'x -----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\n-----END RSA PRIVATE KEY----- y',
      'x [private-key] y',
    ],
    ['a truncated private key', '-----BEGIN PRIVATE KEY-----\nMIIEow', '[private-key]'],
    ['a short token', 'used token=tok123 once', 'used token=[token] once'],
    ['URL-encoded values', 'body user%3Dalice password%3Dp', 'body user%3D[user-1] password%3D[password]'],
    ['the whole of a host name that contains an address', 'rhost=192.0.2.7.dsl.example.net', 'rhost=[host-1]'],
    [
      'a name everywhere in a text that identifies it once',
      'Too many failures for root; Failed password for root from 192.0.2.7, version 192.0.2.7',
      'Too many failures for [user-1]; Failed password for [user-1] from [ip4-1], version [ip4-1]',
    ],
    ['possible versions', 'version 1.2.3.4 build, v10.2.3.4', 'version [ip4-1] build, v[ip4-2]'],
    ['a card number', 'paid 4111 1111 1111 1111 today', 'paid [card] today'],
  ])('hides %s', (_, text, expected) => {
    expect(masked(text)).toBe(expected)
  })

  test.each([
    'at 09:15:02 and 2026-03-01T09:15:02.000Z',
    'version 1.2.3',
    'Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36',
    'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'key=user_profile_list_v2_2024',
    'unexpected token: } compass: 5 bypass=true passengers: 12',
    'bearer token is missing; Bearer authentication failed; basic authentication',
    'sudo PWD=/srv ; COMMAND=/bin/ls',
    'password=null password="" password=*** password=<*>',
    'gpio pin=17 pin: 2024-01-02 exit code: 4711 spin=4711 status_code=5000',
    'token=EOF token: 5 secret=none',
    'password is required, password for postgres is expired. The password was changed 3 times (using password: YES)',
    'the password file was not found: /srv/shop/passwords2.txt',
    'the password did not match that of the login. [CLIENT: shop12.lan]',
    'last password change for all: 2026-03-01T09:15:02Z',
    'authentication: auth login failed, auth plain refused; a cookie: none; <password></password> <token>*</token>',
    'blk_4111111111111111 took 1700000000000000000 and 4111111111111112',
    'std::string Foo::Bar::baz uuid 123e4567-e89b-12d3-a456-426614174000',
    'user=[user-1] host=[host-1] from [ip4-1]',
  ])('does not mask: %s', (text) => {
    expect(masked(text)).toBe(text)
  })

  test.each(namePatterns.flatMap(({ samples }) => Object.entries(samples)))(
    'recognizes the users in %s',
    (line, users) => {
      const names = createPlaceholders()
      maskText(line, { placeholders: names })
      const found = [...names.originals()].filter(([name]) => name.startsWith('[user')).map(([, value]) => value)
      const hasCredentials = line.includes('://')
      expect(found.toSorted()).toEqual(hasCredentials ? [] : users.toSorted())
    },
  )

  test('equal values masked together have equal placeholders, and other values other ones', () => {
    const masker = createMasker()
    expect(masker.text('192.0.2.7 to 192.0.2.8, host=WEB1 user=ann')).toBe(
      '[ip4-1] to [ip4-2], host=[host-1] user=[user-1]',
    )
    expect(masker.text('user=ann from 192.0.2.8 host=web1')).toBe('user=[user-1] from [ip4-2] host=[host-1]')
    expect(masker.sourceId('syslog:web1:sshd')).toBe('syslog:[host-1]:sshd')
    expect(
      masker.value({ client: '192.0.2.7', user: 'ann', nested: [{ db_password: 'x', n: 1, token: null }] }),
    ).toEqual({
      client: '[ip4-1]',
      user: '[user-1]',
      nested: [{ db_password: '[password]', n: 1, token: null }],
    })
  })

  test('a host named by a field is masked in texts', () => {
    const masker = createMasker()
    expect(masker.value({ host: 'nas', password: 'x 192.0.2.7' })).toEqual({ host: '[host-1]', password: '[password]' })
    expect(masker.text('2026-03-01T09:15:02Z nas smartd[812]: nasty')).toBe(
      '2026-03-01T09:15:02Z [host-1] smartd[812]: nasty',
    )
  })

  test('a sign-in with the name of a program as user name does not mask the program', () => {
    const masker = createMasker()
    expect(masker.text('sshd[1]: Invalid user sshd from 5.6.7.8')).toBe('sshd[1]: Invalid user [user-1] from [ip4-1]')
    expect(masker.text('sshd[2]: error: nothing here')).toBe('sshd[2]: error: nothing here')
    expect(masker.text('May  1 10:00:00 web1 sshd(pam_unix)[19]: session opened for user sshd by ann(uid=0)')).toBe(
      'May  1 10:00:00 web1 sshd(pam_unix)[19]: session opened for user [user-1] by [user-2](uid=0)',
    )
    expect(masker.sourceId('syslog:web1:sshd')).toBe('syslog:web1:sshd')
  })

  test('a program that fields name remains in texts that are masked later', () => {
    const masker = createMasker()
    masker.addWriterOf({ program: 'cron', user: 'ann' })
    expect(masker.text('Failed password for cron from 192.0.2.7; cron sleeps, ann, too, user=ann')).toBe(
      'Failed password for [user-1] from [ip4-1]; cron sleeps, [user-2], too, user=[user-2]',
    )
    expect(masker.value({ program: 'cron', user: 'cron' })).toEqual({ program: 'cron', user: '[user-1]' })
  })

  test.each([
    ['user=root PWD=/root', 'user=[user-1] PWD=/root'],
    ['user=mysql opened "/var/lib/mysql/x"', 'user=[user-1] opened "/var/lib/mysql/x"'],
    ['user=ann GET https://example.net/ann/x', 'user=[user-1] GET https://example.net/ann/x'],
    ['user=ann opened /home/ann/x and /var/mail/ann', 'user=[user-1] opened /home/[user-1]/x and /var/mail/[user-1]'],
    ['user=ann GET /api/users/ann', 'user=[user-1] GET /api/users/[user-1]'],
    ['host=nas mounts //nas/share and /logs/nas', 'host=[host-1] mounts //[host-1]/share and /logs/[host-1]'],
    ['user=ann as HOME/ann', 'user=[user-1] as HOME/[user-1]'],
  ])('a user is masked in folders of people, and in no other path: %s', (text, expected) => {
    expect(masked(text)).toBe(expected)
  })

  test('placeholders in a response can be restored, except secrets', () => {
    const names = createPlaceholders()
    const text = maskText('192.0.2.7 password=x', { placeholders: names })
    expect(restoreText(`${text} [ip4-9]`, names)).toBe('192.0.2.7 password=[password] [ip4-9]')
  })

  test('no address, user or password remains, in any surroundings', () => {
    const around = fc.constantFrom('', ' ', '"', '(', ', ', '; ', '\n', 'x=1 ')
    const secret = fc.stringMatching(/^[A-Za-z][A-Za-z0-9!$%*+_~-]{7,15}$/)
    fc.assert(
      fc.property(fc.ipV4(), secret, around, around, (address, password, before, after) => {
        fc.pre(!/^(?:true|false|null|none)$/i.test(password))
        const text = masked(`${before}peer ${address}${after} password=${password}${after} user=${password}`)
        expect(text).not.toContain(password)
        expect(text.includes(address)).toBe(false)
      }),
      propertyRuns(),
    )
  })

  test('masking is idempotent', () => {
    const once = masked(
      'user=ann host=web1 192.0.2.7 ann@example.com password=x Authorization: Bearer abc123 https://a:b@c/',
    )
    expect(masked(once)).toBe(once)
  })

  const hostile = [
    'a',
    '://',
    'password=',
    '1',
    '1 ',
    '-----BEGIN PRIVATE KEY-----',
    ':',
    'a:',
    'a@',
    'eyJ',
    'by user ',
  ]
  test('a hostile line takes time linear in its length', () => {
    for (const piece of [
      ...hostile,
      'bearer ',
      '--pass',
      'host=a.',
      'aa-',
      '4111-',
      'sk-a',
      'password:"\\',
      '-----BEGIN ',
    ])
      expectLinear(piece, (length) => masked(piece.repeat(Math.ceil(length / piece.length))))
  })
})
