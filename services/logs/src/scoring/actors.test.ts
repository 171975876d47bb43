import { expect, test } from 'vitest'
import { actorsOf } from './actors.ts'

test.each([
  ['Failed password for invalid user kim from 192.0.2.7 port 22 ssh2', '192.0.2.7', 'kim'],
  [
    'pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.9  user=root',
    '192.0.2.9',
    'root',
  ],
  ['Invalid user test from 2001:db8::7 port 4022', '2001:db8::7', 'test'],
  ['[UFW BLOCK] IN=eth0 SRC=192.0.2.3 DST=192.0.2.1 DPT=22', '192.0.2.3', null],
  ['192.0.2.5 - - [01/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200', '192.0.2.5', null],
  ['{"msg":"login failed","username":"kim","remote_ip":"192.0.2.6"}', '192.0.2.6', 'kim'],
  ['Login failed for user "kim" (client: 192.0.2.8)', '192.0.2.8', 'kim'],
  [
    'pvedaemon[7]: authentication failure; rhost=::ffff:192.0.2.9 user=kim@pam msg=Authentication failure',
    '192.0.2.9',
    'kim@pam',
  ],
  ['Failed login from [::ffff:192.0.2.7]:4022', '192.0.2.7', null],
  ['Username or password is incorrect. IP: 192.0.2.9. Username: kim@example.net.', '192.0.2.9', 'kim@example.net'],
  ['Failed authentication attempt for kim from 192.0.2.9:4022: user does not exist', '192.0.2.9', 'kim'],
  ['{"remoteAddr":"192.0.2.9","user":"--","message":"Login failed: kim (Remote IP: 192.0.2.9)"}', '192.0.2.9', 'kim'],
  ['User [kim] from [192.0.2.9] failed to log in via [DSM] due to authorization failure.', '192.0.2.9', 'kim'],
  ['Login failed for user `kim` from IP `192.0.2.9`.', '192.0.2.9', 'kim'],
  ['Failed password for kim from fd12:3456::7 port 4022 ssh2', 'fd12:3456::7', 'kim'],
  ['Failed password for kim from fe80::7%eth0 port 4022 ssh2', 'fe80::7%eth0', 'kim'],
  ['Login of kim failed, peer abcd:12::7: refused', 'abcd:12::7', null],
  ['login failed for user kim, client ::1', '::1', 'kim'],
  ['AUTH failure: checkpass failed, user=kim, relay=mx7.example.net [IPv6:2001:DB8::7]', '2001:db8::7', 'kim'],
  ['Login failed for user kim from 10:15:02 to 10:16:02', null, 'kim'],
  // An address in the account.
  ['Failed password for kim from 198.51.100.4 port 22 ssh2 from 192.0.2.7 port 4022 ssh2', '192.0.2.7', 'kim'],
  ['Connection closed by invalid user kim 198.51.100.4 192.0.2.7 port 4022 [preauth]', '192.0.2.7', 'kim'],
  ['plain authenticator failed for h.example.net ([198.51.100.4]) [192.0.2.7]:4022: 535', '192.0.2.7', null],
  [`Registration from '"7" <sip:kim@198.51.100.4:5060>' failed for '192.0.2.7:4022'`, '192.0.2.7', 'kim'],
  // Programs that look names up.
  ['PAM: Authentication failure for kim from host7.example.net', 'host7.example.net', 'kim'],
  ['PAM: authentication error for kim from host7.example.net via 198.51.100.4', 'host7.example.net', 'kim'],
  ['failed login of kim from host7.example.net [192.0.2.7]', '192.0.2.7', null],
  ['client=auth.client.form error="failed to authenticate identity: no user found"', null, null],
  ['version 1.2.3.4.5 started at 10:15:02', null, null],
])('address and user of "%s"', (text, address, user) => {
  expect(actorsOf(text)).toEqual({ address, user })
})
