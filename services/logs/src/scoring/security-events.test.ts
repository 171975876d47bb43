import { expectLinear } from '@trellis/test/support/growth'
import { describe, expect, test } from 'vitest'
import { wordsOf } from '../segments/tokens.ts'
import { securityEventsOf, securityEventWords } from './security-events.ts'
import { entryForTests as entryOf } from './security-for-tests.ts'

const reportedBy = (text: string) =>
  securityEventsOf(entryOf(text)).map(({ kind, address, user, object }) => [kind, address, user ?? object])

const loginEvent = (code: number) =>
  `<Event><System><EventID>${code}</EventID></System><EventData><Data Name='TargetUserName'>kim</Data><Data Name='IpAddress'>192.0.2.7</Data></EventData></Event>`

describe('the events that an entry reports', () => {
  test.each<[string, string, (string | null)[]]>([
    [
      'a sentence in the name of an event',
      'audit: event=LOGIN_FAILED username=kim ip=192.0.2.7',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'an event name in camel case',
      'type="LoginFailed" userName="kim" clientIp="192.0.2.7"',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'an error code',
      'realm=a error=user_not_found, username=kim, ipAddress=192.0.2.7',
      ['unknown_user', '192.0.2.7', 'kim'],
    ],
    [
      'JSON of an application',
      '{"msg":"Login denied: wrong password","user":"kim","remote_ip":"192.0.2.7"}',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'a directory',
      'slapd: BIND failed: invalid credentials user=kim from ip=192.0.2.7',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'a database',
      'FATAL: password authentication failed for user "kim" (client 192.0.2.7)',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    ['a tunnel', 'vpn: peer 192.0.2.7 user kim authentication failed', ['failed_sign_in', '192.0.2.7', 'kim']],
    [
      'a mail server',
      'imap: authentication failed: user=<kim@example.net>, rip=192.0.2.7',
      ['failed_sign_in', '192.0.2.7', 'kim@example.net'],
    ],
    [
      'a host that is logged by its name',
      'pam: authentication failure; rhost=pool-7.example.net  user=kim',
      ['failed_sign_in', 'pool-7.example.net', 'kim'],
    ],
    [
      "Linux's audit daemon, a failed sign-in",
      `type=USER_AUTH msg=audit(1714558830.250:456): pid=7 uid=0 auid=4294967295 ses=4294967295 msg='op=PAM:authentication grantors=? acct="kim" exe="/usr/sbin/sshd" hostname=192.0.2.7 addr=192.0.2.7 terminal=ssh res=failed'`,
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      "Linux's audit daemon, a sign-in",
      `type=USER_LOGIN msg=audit(1714558830.250:457): pid=7 uid=0 auid=1000 ses=3 msg='op=login id=1000 acct="kim" exe="/usr/sbin/sshd" hostname=192.0.2.7 addr=192.0.2.7 terminal=ssh res=success'`,
      ['sign_in', '192.0.2.7', 'kim'],
    ],
    ['Windows, a failed sign-in', loginEvent(4625), ['failed_sign_in', '192.0.2.7', 'kim']],
    ['Windows, a sign-in', loginEvent(4624), ['sign_in', '192.0.2.7', 'kim']],
    [
      'Windows as JSON',
      '{"EventID":4625,"TargetUserName":"kim","IpAddress":"192.0.2.7"}',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'an aborted sign-in',
      'sshd[7]: Connection closed by authenticating user kim 192.0.2.7 port 4022 [preauth]',
      ['broken_off_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'a storage system, a failed sign-in',
      'Connection: User [kim] from [192.0.2.7] failed to log in via [DSM] due to authorization failure.',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'a storage system, a sign-in',
      'Connection: User [kim] from [192.0.2.7] signed in to [DSM] successfully via [password].',
      ['sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'a host of virtual machines, a failed sign-in',
      'pvedaemon[7]: authentication failure; rhost=::ffff:192.0.2.7 user=kim@pam msg=Authentication failure',
      ['failed_sign_in', '192.0.2.7', 'kim@pam'],
    ],
    [
      'a host of virtual machines, a sign-in',
      "pvedaemon[7]: <kim@pam> successful auth for user 'kim@pam'",
      ['sign_in', null, 'kim@pam'],
    ],
    [
      'a request to a socket of both versions of IP',
      '::ffff:192.0.2.7 - - [01/03/2026:10:00:00 +0000] "GET /x HTTP/1.1" 404 7',
      ['missing_page', '192.0.2.7', '/x'],
    ],
    [
      'a refused sign-in form',
      '192.0.2.7 - - [01/Mar/2026:10:00:00 +0000] "POST /account/sign_in HTTP/1.1" 401 7',
      ['failed_sign_in', '192.0.2.7', '/account/sign_in'],
    ],
    [
      'a sign-in form that is shown again',
      '192.0.2.7 - - [01/Mar/2026:10:00:00 +0000] "POST /wp-login.php HTTP/1.1" 200 7',
      ['sign_in_request', '192.0.2.7', '/wp-login.php'],
    ],
    ['a request in columns', '| 404 |  1.2ms | 192.0.2.7 | GET "/x"', ['missing_page', '192.0.2.7', '/x']],
    [
      'a request in JSON behind a header',
      '2026-03-01T10:00:00Z stdout F {"method":"GET","http_path":"/x","response_code":404,"downstream_remote_address":"192.0.2.7:4022"}',
      ['missing_page', '192.0.2.7', '/x'],
    ],
    [
      'too many requests',
      'limiting requests, excess: 9.1 by zone "one", client: 192.0.2.7',
      ['limited_request', '192.0.2.7', null],
    ],
    ['a refused query', 'named: client 192.0.2.7#53: query (cache) denied', ['refused_query', '192.0.2.7', null]],
    [
      'refused mail',
      'smtp: rejected RCPT <kim@example.net> from [192.0.2.7]: listed',
      ['refused_mail', '192.0.2.7', null],
    ],
    [
      'sshd, an account that may not sign in',
      'sshd[7]: User kim from 192.0.2.7 not allowed because not listed in AllowUsers',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    ['sshd, root', 'sshd[7]: ROOT LOGIN REFUSED FROM 192.0.2.7 port 4022', ['failed_sign_in', '192.0.2.7', null]],
    [
      'sshd, questions instead of a password',
      'sshd[7]: Failed keyboard-interactive/pam for kim from 192.0.2.7 port 4022 ssh2',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'sshd, the last of many',
      'sshd[7]: error: maximum authentication attempts exceeded for kim from 192.0.2.7 port 4022 ssh2 [preauth]',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'many failures in one line',
      'ftpd[7]: repeated login failures from 192.0.2.7',
      ['failed_sign_in', '192.0.2.7', null],
    ],
    [
      'a password that does not match',
      "(auth.c.7) password doesn't match for /shelf/ username: kim, IP: 192.0.2.7",
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    ['an application, root', 'pop3d[7]: root login not allowed - 192.0.2.7', ['failed_sign_in', '192.0.2.7', null]],
    [
      'an application, a denied user',
      'admin[7]: user denied: kim from 192.0.2.7',
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'a telephone that registers',
      `Registration from '"7" <sip:kim@198.51.100.4>' failed for '192.0.2.7:5060' - No matching peer found`,
      ['failed_sign_in', '192.0.2.7', 'kim'],
    ],
    [
      'an unknown telephone',
      'SecurityEvent="InvalidAccountID",Service="PJSIP",AccountID="kim",RemoteAddress="IPV4/UDP/192.0.2.7/5060"',
      ['unknown_user', '192.0.2.7', 'kim'],
    ],
    [
      "a user that can't be found",
      "Can't find user [kim@example.net] from 192.0.2.7",
      ['unknown_user', '192.0.2.7', 'kim@example.net'],
    ],
    [
      'an account that does not exist',
      'admin: Non-existent login as kim from 192.0.2.7',
      ['unknown_user', '192.0.2.7', 'kim'],
    ],
    ['a directory by numbers', 'slapd[7]: conn=7 op=1 RESULT tag=97 err=49 text=', ['failed_sign_in', null, null]],
    [
      "Linux's audit daemon, an unknown user",
      `type=USER_ERR msg=audit(1714558830.250:455): pid=7 uid=0 msg='op=PAM:bad_ident acct="kim" hostname=192.0.2.7 addr=192.0.2.7 terminal=ssh res=failed'`,
      ['unknown_user', '192.0.2.7', 'kim'],
    ],
    [
      'a client of a mail server that breaks off',
      'postfix/smtpd[7]: lost connection after AUTH from unknown[192.0.2.7]',
      ['broken_off_sign_in', '192.0.2.7', null],
    ],
    [
      'a sign-in without encryption',
      'SMTP protocol error in "AUTH LOGIN" H=(kim) [192.0.2.7] AUTH command used when not advertised',
      ['failed_sign_in', '192.0.2.7', null],
    ],
    [
      'refused mail, by rule',
      'sm-mta[7]: ruleset=check_rcpt, arg1=<kim@example.net>, relay=[192.0.2.7], reject=553 5.1.8 <kim@example.net>... Domain does not exist',
      ['refused_mail', '192.0.2.7', null],
    ],
    [
      'refused mail, a greeting',
      'postfix/smtpd[7]: NOQUEUE: reject: EHLO from h.example.net[192.0.2.7]: 504 5.5.2 <kim>: rejected: need a name',
      ['refused_mail', '192.0.2.7', null],
    ],
    [
      'refused mail, a question',
      'sm-mta[7]: 7A: [192.0.2.7]: VRFY kim [rejected]',
      ['refused_mail', '192.0.2.7', null],
    ],
    [
      'refused mail, an unknown recipient',
      'sm-mta[7]: 7A: relay=[192.0.2.7], reject=550 5.1.1 <kim@example.net>... User unknown',
      ['refused_mail', '192.0.2.7', null],
    ],
    ['a payment that failed', '{"type":"PAYMENT_DECLINED","ip":"192.0.2.7"}', ['failed_payment', '192.0.2.7', null]],
    [
      'a rename by ransomware',
      'smbd_audit[77]: kim|192.0.2.7|shop|renameat|ok|/srv/plan.docx|/srv/plan.docx.locked',
      ['encrypted_file', '192.0.2.7', '/srv/plan.docx'],
    ],
    [
      'a rename that adds an address',
      'smbd_audit: kim|192.0.2.7|shop|rename|ok|plan.docx|plan.docx.id-7A1B.[kim@example.net].dharma',
      ['encrypted_file', '192.0.2.7', 'plan.docx'],
    ],
    [
      'a rename on a storage system',
      'Event: rename, Path: /shop/plan.docx -> /shop/plan.docx.encrypted, File/Folder: File, User: kim, IP: 192.0.2.7',
      ['encrypted_file', '192.0.2.7', 'kim'],
    ],
    [
      'an unknown extension',
      'smbd_audit: kim|192.0.2.7|shop|renameat|ok|/srv/plan.xlsx|/srv/plan.xlsx.q7fh',
      ['appended_extension', '192.0.2.7', 'xlsx'],
    ],
    [
      'a firewall with names and values',
      'action=deny proto=6 srcip=192.0.2.7 dstip=198.51.100.1 dstport=22',
      ['blocked_packet', '192.0.2.7', '22'],
    ],
    [
      'a firewall with both endpoints',
      'Deny tcp src outside:192.0.2.7/4022 dst inside:198.51.100.1/3389 by access-group',
      ['blocked_packet', '192.0.2.7', '3389'],
    ],
    [
      'a firewall with columns',
      'filterlog: 5,,,1000,em0,match,block,in,4,0x0,,64,7,0,DF,6,tcp,60,192.0.2.7,198.51.100.1,4022,445,0',
      ['blocked_packet', '192.0.2.7', '445'],
    ],
  ])('%s', (_, text, expected) => {
    expect(reportedBy(text)).toContainEqual(expected)
    // The entry is found by a search for these words.
    expect(wordsOf(text).some((word) => securityEventWords.includes(word))).toBe(true)
  })

  test.each([
    [
      '[Sun Mar 01 10:00:00.1 2026] [core:info] [pid 7:tid 7] [client 192.0.2.7:4022] AH00128: File does not exist: /srv/pma/index.php',
      '/srv/pma/index.php',
    ],
    [
      "[Sun Mar 01 10:00:00 2026] [error] [client 192.0.2.7] script '/srv/wp-login.php' not found or unable to stat",
      '/srv/wp-login.php',
    ],
    [
      '[Sun Mar 01 10:00:00 2026] [cgi:error] [pid 7] [client 192.0.2.7:4022] AH02811: script not found or unable to stat: /usr/lib/cgi-bin/x',
      '/usr/lib/cgi-bin/x',
    ],
    [
      '2026/03/01 10:00:00 [error] 7#7: *7 open() "/srv/cgi-bin/x" failed (2: No such file or directory), client: 192.0.2.7, server: _, request: "GET /cgi-bin/x HTTP/1.1", host: "a"',
      '/cgi-bin/x',
    ],
    [
      '2026/03/01 10:00:00 [error] 7#7: *7 "/srv/shell/index.html" is not found (2: No such file or directory), client: 192.0.2.7, server: _, request: "GET /shell/ HTTP/1.1", host: "a"',
      '/shell/',
    ],
  ])('a request for a missing file is reported by the error log of a web server, too: %s', (text, path) => {
    expect(reportedBy(text)).toEqual([
      ['missing_page', '192.0.2.7', path],
      ['sought_place', '192.0.2.7', path],
    ])
  })

  test.each([
    '2026/03/01 10:00:00 [error] 7#7: *7 open() "/srv/a.png" failed (2: No such file or directory), client: 192.0.2.7, server: _, request: "GET /a.png HTTP/1.1", host: "a"',
    '[Sun Mar 01 10:00:00 2026] [core:error] [pid 7] [client 192.0.2.7:4022] AH00035: access to /a denied',
    'backup: script not found or unable to stat: /usr/lib/cgi-bin/x',
  ])('a picture that is missing, and what no client requested, are not reported: %s', (text) => {
    expect(reportedBy(text)).toEqual([])
  })

  test('the work for a hostile line is linear in its length', () => {
    for (const piece of [
      'deny src=192.0.2.7 ',
      'login failed user=',
      '192.0.2.7 - "GET /',
      '| 404 | 1 | 192.0.2.7 | ',
      '//[a]',
      '|renameat|ok|',
      'rename a -> a.locked ',
      '{"',
      "[client 192.0.2.7] script '",
      'open() "/a',
    ])
      expectLinear(piece, (length) => securityEventsOf(entryOf(piece.repeat(Math.ceil(length / piece.length)))))
  })

  test('a default account is reported as such, too', () => {
    const events = reportedBy('sshd[7]: Failed password for admin from 192.0.2.7 port 22 ssh2')
    expect(events.map(([kind]) => kind)).toEqual(['failed_sign_in', 'default_account'])
  })

  test.each([
    'smbd_audit: kim|192.0.2.7|shop|renameat|ok|/srv/plan.docx|/srv/plan.docx.bak',
    'smbd_audit: kim|192.0.2.7|shop|renameat|ok|/srv/~WRD07.tmp|/srv/plan.docx',
    'smbd_audit: kim|192.0.2.7|shop|renameat|ok|/srv/plan.docx|/srv/plan-v2.docx',
    'smbd_audit: kim|192.0.2.7|shop|renameat|ok|/srv/app.log|/srv/app.log.1',
    'smbd_audit: kim|192.0.2.7|shop|renameat|ok|/srv/film.mkv.part|/srv/film.mkv',
    'smbd_audit: kim|192.0.2.7|shop|renameat|fail (Permission denied)|/srv/plan.docx|/srv/plan.docx.locked',
    'smbd_audit: kim|192.0.2.7|shop|openat|ok|w|/srv/plan.docx.locked',
    'login page rendered in 7 ms for kim',
    'failed to write the log in /srv',
    'the password policy was read from /etc/login.defs',
    'imap-login: Disconnected: Connection closed: read failed: reset (no auth attempts in 0 secs): user=<>, rip=192.0.2.7',
    'login errors: 0, password failures=0',
    'postfix/smtp[7]: 7A: to=<kim@example.net>, relay=mx.example.net[192.0.2.7]:25, dsn=5.7.1, status=bounced (host mx.example.net[192.0.2.7] refused: 554 5.7.1 Relay access denied)',
    'sendmail[7]: 7A: to=<kim@example.net>, relay=mx.example.net. [192.0.2.7], dsn=5.1.1, stat=User unknown',
    '7A-7 ** kim@example.net H=mx.example.net [192.0.2.7]: SMTP error from remote mail server: 550 no such user',
    'copied /var/log/AuthFail:7/part.txt to /srv/AuthFail:7/part.txt',
    'block 7 of file 9 was written',
    'query took 17 ms, 4 rows',
    'payment of order 7 arrived',
    '192.0.2.7 - - [01/Mar/2026:10:00:00 +0000] "GET /login HTTP/1.1" 200 7',
    '192.0.2.7 - - [01/Mar/2026:10:00:00 +0000] "POST /login HTTP/1.1" 302 7',
    '192.0.2.7 - - [01/Mar/2026:10:00:00 +0000] "GET /phpmyadmin/ HTTP/1.1" 200 7',
  ])('"%s" reports no event', (text) => {
    expect(reportedBy(text)).toEqual([])
  })
})
