import { describe, expect, test } from 'vitest'
import { logFormats } from '../../formats/library/mod.ts'
import { wordsOf } from '../../segments/tokens.ts'
import { createEnricher, matchPatterns } from '../enricher.ts'
import { domains, isMatch } from '../pattern.ts'
import { libraryPatterns } from './mod.ts'

const enricher = createEnricher()
/** The enrichment of a text as the index does it: only patterns with a word of the text are tested. */
const enrichedAs = (text: string, severity?: number) => {
  const words = new Set(wordsOf(text))
  const found = enricher.words.flatMap((word, index) => (words.has(word) ? [index] : []))
  return enricher.enrich(text, found, severity)
}

describe('patterns', () => {
  test.each(libraryPatterns.map((pattern) => [pattern.tag, pattern] as const))(
    '%s matches its sample and not the counterexample',
    (tag, pattern) => {
      expect(isMatch(pattern, pattern.samples.matches)).toBe(true)
      expect(isMatch(pattern, pattern.samples.passes)).toBe(false)
      expect(wordsOf(pattern.samples.matches).some((word) => pattern.words.includes(word))).toBe(true)
      expect(matchPatterns(pattern.samples.matches).map((found) => found.tag)).toContain(tag)
    },
  )

  test.each([
    ['out_of_memory', 'container shop was OOMKilled'],
    ['oom_victim', 'Reason: OOMKilled'],
    ['database_storage', 'could not extend file "base/5/77"'],
    ['unexpected_shutdown', 'database system was interrupted; last known up at 10:00'],
    ['connection_limit', 'connection pool exhausted'],
    ['cache_pressure', 'buffer pool exhausted'],
    ['disk_error', 'blk_update_request: critical target, dev sda'],
    ['mount_failed', 'ls: stale file handle'],
    ['kernel_panic', 'general protection fault: 0000 [#1]'],
    ['memory_error', '1 uncorrectable error'],
    ['thermal_problem', 'the disk overheated'],
    ['gpu_unavailable', 'no GPUs found'],
    ['break_in_attempt', 'bruteforce attempt from 192.0.2.7'],
    ['key_rejected', 'unable to negotiate with 192.0.2.7: no matching MAC found'],
    ['request_too_large', 'payload too big'],
    ['certificate_renewal_failed', 'failed to obtain certificate'],
    ['health_check_failed', 'node 7 marked down'],
    ['service_start_limit', 'giving up restarting shop'],
    ['ip_conflict', 'arp: 192.0.2.9 is using my IP address'],
  ])('%s is found in wordings that its sample lacks: %s', (tag, line) => {
    expect(enrichedAs(line).patterns).toContain(tag)
  })

  test('every domain has patterns, and tags are unique', () => {
    expect([...new Set(libraryPatterns.map(({ domain }) => domain))].toSorted()).toEqual([...domains].toSorted())
    expect(new Set(libraryPatterns.map(({ tag }) => tag)).size).toBe(libraryPatterns.length)
  })

  test('the level that a line names wins, whatever its words mean', () => {
    const found = enricher.words.map((_, index) => index)
    expect(enricher.enrich('write failed: No space left on device', found, 0)).toEqual({
      severity: 0,
      patterns: ['disk_full'],
    })
    expect(enricher.enrich('write failed: No space left on device', found, undefined)).toEqual({
      severity: 1,
      patterns: ['disk_full'],
    })
  })

  test.each([
    ['2023-07-18T10:22:17+02:00 attic player[742]: [10:22:17] [INF] Access for kim was denied (IP: 192.0.2.7).', 0],
    ['NetworkManager[700]: <info>  device (eth0): state change: failed', 0],
    ['web1 app[7]: [12:00:01 WRN] [WRN] nothing of note', 3],
    ['Jan  2 10:00:00 attic grafana[7]: logger=sign level=error msg="no"', 2],
    ['web1 app[7]: [http] request failed', 2],
    ['web1 app[7]: it was denied', 2],
    ['kernel: nfs: server nas not responding, still trying', 2],
    ['kernel: nfs: server nas not responding, timed out', 2],
    ['kernel: nfs: server nas OK', 0],
    ['mail postfix/smtpd[7]: warning: unknown[192.0.2.9]: SASL LOGIN authentication failed', 3],
    ['web1 sshd[7]: error: maximum authentication attempts exceeded', 2],
    ['shelf-rc: warning: unable to start row 7', 3],
    ['/srv/shelf/row.c:7:5: warning: the row failed to stand', 3],
  ])('a level within a line is recognized: %s', (line, severity) => {
    expect(enrichedAs(line).severity).toBe(severity)
  })
})

const ofStatus = logFormats.flatMap((format) => {
  const hasStatus = format.kind === 'pattern' ? format.pattern.source.includes('?<status>') : 'status' in format
  return hasStatus ? format.samples.map(({ line, severity }) => ({ format: format.name, line, severity })) : []
})
const requestTags = { ERROR: ['http_server_error'], WARN: ['http_client_error'] }

describe('a request', () => {
  test.each(ofStatus)('of $format is tagged by its status: $line', ({ line, severity }) => {
    const tags = enrichedAs(line).patterns.filter((tag) => tag.startsWith('http_'))
    expect(tags).toEqual(severity ? requestTags[severity === 'CRITICAL' ? 'ERROR' : severity] : [])
  })

  test.each([
    [
      String.raw`{"log":"192.0.2.7 - - [24/Aug/2021:09:52:13 +0000] \"GET / HTTP/1.1\" 200 13 \"-\" \"Mozilla/5.0 (X11)\" 502 0.001 [a]\n"}`,
      [],
    ],
    [
      String.raw`{"log":"192.0.2.7 - - [24/Aug/2021:09:52:13 +0000] \"GET / HTTP/1.1\" 502 13 \"-\" \"Mozilla/5.0 (X11)\" 404 0.001 [a]\n"}`,
      ['http_server_error'],
    ],
    ['192.0.2.7 - - [24/Aug/2021:09:52:13 +0000] "GET / HTTP/1.1" 200 13 "-" "curl/8" 502 0.001 [a]', []],
    ['{"type":"response","method":"post","statusCode":401,"req":{"url":"/auth/login"}}', ['http_client_error']],
    ['Completed GET /x in 404 ms; port 443 is open', []],
  ])('is tagged by its status, and by no other number: %s', (line, tags) => {
    expect(enrichedAs(line).patterns.filter((tag) => tag.startsWith('http_'))).toEqual(tags)
  })
})

describe('a failed sign-in', () => {
  test.each([
    "Bad PAM password attempt for 'kim' from 192.0.2.7:49242",
    'Mon Jun  9 12:08:53 2020 [pid 27244] [kim] FAIL LOGIN: Client "192.0.2.7"',
    '192.0.2.7:35070,kim,authenticate,PLAIN,"R=""2 NO AUTHENTICATE failed."";ErrMsg=AuthFailed:LogonDenied",',
    '192.0.2.7:53722,>,535 5.7.3 Authentication unsuccessful,',
    'smb[2725]: Auth: [SMB2,(null)] user []\\[kim] with [NTLMv2] status [NT_STATUS_NO_SUCH_USER] workstation []',
    'auth_check_ntlm_password: status [NT_STATUS_WRONG_PASSWORD]',
    'session setup failed: NT_STATUS_LOGON_FAILURE',
    'Login attempt or request with invalid authentication from shelf (192.0.2.7). Requested URL: /auth',
    '{"action": "login_failed", "auth_via": "unauthenticated", "client_ip": "192.0.2.7"}',
    'Authentication request for kim has been denied (IP: 192.0.2.7).',
    'Username or password is incorrect. Try again. IP: 192.0.2.7. Username: kim@example.com.',
    'WARNING::[interface:657] Unsuccessful login attempt from 192.0.2.7',
    'kim - 192.0.2.7 global miniserv.pl "failed" "-" "wrongpass"',
    '<Event><System><EventID>4625</EventID><Level>0</Level></System></Event>',
    "<Event><System><EventID Qualifiers=''>4625</EventID></System></Event>",
    'logdesc="SSL VPN login fail" action="ssl-login-fail" msg="SSL user failed to logged in"',
    'An account failed to log on.',
    'Failed to authenticate user [kim]',
    'Could not authenticate kim',
    'kim failed to sign in',
    'failed to log in as kim from 192.0.2.7',
    'Login attempt failed for user kim',
    'Login was unsuccessful for kim',
    'Sign-in failed for kim@example.com',
    '2024/05/01 10:20:30 [error] 7#7: *9 user "kim": password mismatch, client: 192.0.2.7, server: attic',
    'error: maximum authentication attempts exceeded for kim from 192.0.2.7 port 22 ssh2 [preauth]',
    `type=USER_AUTH msg=audit(1714558830.250:456): pid=7 uid=0 msg='op=PAM:authentication grantors=? acct="kim" exe="/usr/sbin/sshd" hostname=192.0.2.7 addr=192.0.2.7 terminal=ssh res=failed'`,
  ])('is tagged, and not as a network problem: %s', (line) => {
    const { severity, patterns } = enrichedAs(line)
    expect(patterns).toContain('auth_failure')
    expect(patterns).not.toContain('vpn_down')
    expect(severity).toBeGreaterThan(0)
  })

  test.each([
    'sshd[7]: Accepted password for kim from 192.0.2.7 port 50022 ssh2',
    'fail2ban.jail: Jail sshd uses login filter',
    '<EventID>4624</EventID>',
    'login page rendered',
    'failed to log into /srv/shelf.log',
    'the login page failed to render',
    `type=USER_AUTH msg=audit(1714558830.250:456): pid=7 msg='op=PAM:authentication acct="kim" res=success'`,
  ])('is not detected in: %s', (line) => {
    expect(enrichedAs(line).patterns).not.toContain('auth_failure')
  })
})

test('a request for a page about password files is not an attack', () => {
  const requested = (path: string) => enrichedAs(`192.0.2.7 - - "GET ${path} HTTP/1.1" 200 7`).patterns
  expect(requested('/docs/etc/passwd-policies')).not.toContain('web_attack')
  for (const path of ['/a?file=/etc/passwd', '/a?file=/etc/passwd%00.png', '/a?file=/etc/passwd-'])
    expect(requested(path)).toContain('web_attack')
})

test('a request for a password file is an attack, a name that is missing from one is not', () => {
  const refused = 'user "kim" was not found in "/etc/nginx/.htpasswd", client: 192.0.2.7, request: "GET / HTTP/1.1"'
  expect(enrichedAs(refused).patterns).not.toContain('web_attack')
  for (const path of ['/.htpasswd', '/shelf/.htpasswd'])
    expect(enrichedAs(`192.0.2.7 - - "GET ${path} HTTP/1.1" 404 7`).patterns).toContain('web_attack')
  expect(enrichedAs('{"uri":"/.htpasswd"}').patterns).toContain('web_attack')
})

describe('severity of lines without a level', () => {
  test.each([
    ['{"event_type":"alert","alert":{"metadata":{"a":["b"]},"severity":1},"flow":{"x":1}}', 2],
    ['{"event_type":"alert","alert":{"signature":"x","severity":2}}', 3],
    ['{"event_type":"alert","alert":{"signature":"x","severity":3}}', 0],
    ['ALERT exited abnormally with [1]', 2],
    ['{"statusCode":401,"method":"post"}', 3],
  ])('%s', (line, severity) => {
    expect(enrichedAs(line).severity).toBe(severity)
  })
})

test.each([
  'Backup finished: 0 errors, 0 warnings',
  'backup completed without errors',
  'nightly backup: 120 files, 0 failed',
  'rsync finished, errors: 0',
  'authentication failures: 0',
  'Failed units: 0',
  'SMART Error Log Version: 1, No Errors Logged',
  'zpool status: No known data errors',
  'replication lag is 0 seconds',
  'OOM killer disabled',
  'UPS battery charge 100%',
  'Connection timeout set to 30s',
  'dnsmasq[7]: reply shelf.example.com is NXDOMAIN',
  '192.0.2.7:1 - 1 "A IN shelf. udp 1 false 512" NXDOMAIN qr,rd 1 0.1s',
  'GET /errors/404.html HTTP/1.1',
  'moved error.txt to the attic',
  'user error@example.com has written',
  'an error-free run',
  'EXT4-fs (sda1): re-mounted. Opts: errors=remount-ro',
  'attic : ok=2 changed=0 unreachable=0 failed=0',
  'postfix/smtpd[7]: disconnect from unknown[192.0.2.7] ehlo=1 quit=1 commands=2',
  'sshd[7]: Disconnected from user kim 192.0.2.7 port 50022',
  'unknown host key of shelf was added',
  'pool: active=5 idle=5 timeout=30000',
  'systemd[1]: Starting mcelog.service - Machine Check Exception Logging Daemon...',
  'systemd[1]: Started row.service - Kernel panic reporter.',
  'CRON[7]: (root) CMD (/srv/row || echo "backup failed" | mail kim)',
  'kernel: RAS: Correctable Errors collector initialized.',
  'kernel: NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.',
  'kernel: ata4: SATA link down (SStatus 0 SControl 300)',
  'kernel: [UFW ALLOW] IN=eth0 OUT= MAC=02 SRC=192.0.2.7 DST=192.0.2.9 LEN=60',
  'kernel: [WAN_IN-3001-A]IN=eth8 OUT=br0 MAC=02 SRC=192.0.2.7 DST=192.0.2.9 LEN=60',
  'filterlog[7]: 72,,,1535324496,igb1,match,pass,in,4,0x0,,64,61513,0,DF,17,udp,73,192.0.2.7,192.0.2.9,51423,53,53',
  'dpinger[7]: WAN_DHCP 192.0.2.1: Clear latency 12033us stddev 3312us loss 6%',
  'wlceventd: eth6: Deauth_ind 02:00:00:00:00:01, status: 0, reason: Disassociated because sending station is leaving',
  'UPS: No longer on battery power.',
  'hostapd: wlan0: STA 02:00:00:00:00:01 IEEE 802.11: disassociated due to inactivity',
  'smartd[7]: Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 67 to 66',
  'smartd[7]: Device: /dev/sda [SAT], SMART Prefailure Attribute: 1 Raw_Read_Error_Rate changed from 80 to 79',
  "zed[7]: eid=4 class=scrub_finish pool='tank'",
  'upsd[7]: UPS [rack] data is no longer stale',
])('a line that reports no trouble has neither severity nor pattern: %s', (line) => {
  expect(enrichedAs(line)).toEqual({ severity: 0, patterns: [] })
})

test('the return of the mains is no loss of power', () => {
  for (const line of [
    'Mains returned. No longer on UPS batteries.',
    'apcupsd[7]: Power is back. UPS running on mains.',
  ])
    expect(enrichedAs(line)).toEqual({ severity: 0, patterns: ['power_restored'] })
})

test('a packet that a firewall blocks is tagged, without a severity', () => {
  for (const line of [
    '[UFW BLOCK] IN=eth0 OUT= MAC=02 SRC=192.0.2.7 DST=192.0.2.9 LEN=40',
    '[WAN_LOCAL-default-D]IN=eth8 OUT= MAC=02 SRC=192.0.2.7 DST=192.0.2.9 LEN=40',
    'filterlog[7]: 4,,,1000000103,igb0,match,block,in,4,0x0,,241,54321,0,none,6,tcp,44,192.0.2.7,192.0.2.9,44321,23',
  ])
    expect(enrichedAs(line)).toEqual({ severity: 0, patterns: ['firewall_block'] })
})

test.each([
  ['Backup finished: 3 errors, 0 warnings', 'backup_failed'],
  ['rsync: 0 errors in /a, failed to read /b', 'backup_failed'],
  ['lookup shelf.example.com: NXDOMAIN', 'dns_failure'],
  ['DNS_PROBE_FINISHED_NXDOMAIN', 'dns_failure'],
  ['the resolver returned NXDOMAIN for shelf.example.com', 'dns_failure'],
  ['dial tcp: lookup shelf on 192.0.2.53:53: no such host', 'dns_failure'],
  ['java.net.UnknownHostException: shelf', 'dns_failure'],
  ['[Errno 8] nodename nor servname provided, or not known', 'dns_failure'],
  ['could not translate host name "shelf" to address: Name does not resolve', 'dns_failure'],
  ['shelf.example.com could not be resolved (3: Host not found)', 'dns_failure'],
  ['ping: unknown host shelf', 'dns_failure'],
  ['Get "https://shelf/": context deadline exceeded', 'connection_timeout'],
  [
    'Get "https://shelf/": net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
    'connection_timeout',
  ],
  ['Error: socket hang up', 'connection_reset'],
  ['server closed the connection unexpectedly', 'connection_reset'],
  ['Lost connection to MySQL server during query', 'connection_reset'],
  ['MySQL server has gone away', 'connection_reset'],
  ['unable to verify the first certificate', 'certificate_problem'],
  ['PKIX path building failed: unable to find valid certification path to requested target', 'certificate_problem'],
  ['08[IKE] <con2|7> EAP-MS-CHAPv2 verification failed, retry (1)', 'auth_failure'],
  ["06[IKE] <con1|7> XAuth authentication of 'kim' failed", 'auth_failure'],
  ['dovecot_login authenticator failed for ([192.0.2.7]): 535 Incorrect authentication data', 'auth_failure'],
  ['Running on UPS batteries.', 'power_loss'],
  ['upsd[7]: Data for UPS [rack] is stale - check driver', 'ups_event'],
  ['igb1: link state changed to DOWN', 'link_down'],
  ['corosync[7]:   [KNET  ] link: host: 2 link: 0 is down', 'link_down'],
  ['dpinger[7]: WAN_DHCP 192.0.2.1: Alarm latency 523411us stddev 211873us loss 21%', 'packet_loss'],
  ['charon: 09[IKE] giving up after 5 retransmits', 'vpn_down'],
  ['charon: 07[IKE] no matching peer config found', 'vpn_down'],
  ['systemd-journald[7]: Suppressed 123 messages from row.service', 'kernel_log_lost'],
  ['systemd-journald[7]: File /x/system.journal corrupted or uncleanly shut down, replacing.', 'unexpected_shutdown'],
  ['dnsmasq[7]: Maximum number of concurrent DNS queries reached (max: 150)', 'connection_limit'],
  ['haproxy[7]: Server web/web1 is DOWN, reason: Layer4 timeout', 'upstream_failure'],
  ["pvestatd[7]: storage 'nas' is not online", 'nfs_problem'],
  ['wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="shelf" auth_failures=1 reason=WRONG_KEY', 'wireless_problem'],
  ['NMI watchdog: Watchdog detected hard LOCKUP on cpu 3', 'cpu_problem'],
  ['nvme nvme0: controller is down; will reset: CSTS=0xffffffff', 'disk_error'],
  ['nvme nvme0: I/O tag 7 (7007) QID 1 timeout, aborting', 'disk_error'],
  ['smartd[7]: Device: /dev/sdb [SAT], FAILED SMART self-check. BACK UP DATA NOW!', 'disk_error'],
  ['smartd[7]: Device: /dev/sdb [SAT], ATA error count increased from 12 to 15', 'smart_warning'],
  [
    'smartd[7]: Device: /dev/sdb [SAT], SMART Prefailure Attribute: 5 Reallocated_Sector_Ct changed from 100 to 99',
    'smart_warning',
  ],
  ["zed[7]: eid=12 class=checksum pool='tank' vdev=sdb1", 'zfs_event'],
  ['sudo:  kim : user NOT in sudoers ; TTY=pts/1 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/su', 'permission_denied'],
  ['sudo:  kim : command not allowed ; TTY=pts/1 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/su', 'permission_denied'],
  ['Client <unknown> disconnected, not authorised.', 'permission_denied'],
  ['{"eventName":"GetRow","errorCode":"AccessDenied"}', 'permission_denied'],
  ["login[7]: ROOT LOGIN  on '/dev/tty1'", 'root_login'],
  ['type=ANOM_ABEND msg=audit(1714558830.250:456): auid=7 uid=7 pid=77 comm="row" sig=11 res=1', 'process_crash'],
  ['UPS rack@nas battery is low', 'power_loss'],
  ['replication lag is 40 seconds', 'replication_problem'],
  ['shelfd: I/O error on /srv/shelf', 'disk_error'],
])('a line that reports trouble has its pattern: %s', (line, tag) => {
  const { severity, patterns } = enrichedAs(line)
  expect(patterns).toContain(tag)
  expect(severity).toBeGreaterThan(0)
})
