/**
 * Words that logs use for words of a question, such as the names of system errors: each word of a row's first text is expanded to the words of its
 * second. In the tokeniser's form. The words of logs are searched for in addition to those of the question, which are rarer and so weigh more.
 */
const rows: readonly (readonly [question: string, logged: string])[] = [
  ['fail fails failing failed failure failures broken breaks broke', 'fail failed failure error'],
  ['web website webserver', 'web nginx apache httpd'],
  ['crash crashes crashed crashing die dies died', 'crash crashed segfault panic aborted killed'],
  [
    'slow slowly lag lags laggy hang hangs hung stuck freeze freezes frozen',
    'slow timeout timed etimedout hung blocked stalled',
  ],
  ['timeout timeouts timed', 'timeout timed etimedout'],
  [
    'down unreachable offline unavailable away gone',
    'down unreachable unavailable refused econnrefused ehostunreach enetunreach',
  ],
  [
    'disconnect disconnects disconnected lose loses lost drops dropped',
    'disconnect disconnected lost closed reset econnreset broken epipe',
  ],
  ['reset resets', 'reset econnreset'],
  ['ssh', 'ssh sshd'],
  ['wifi wi wlan wireless', 'wifi wi wlan wlan0 wireless wpa airport ieee80211 deauthenticated disassociated deauth'],
  ['ethernet lan', 'eth0 carrier nic link'],
  ['email emails mail mails', 'mail smtp postfix bounced deferred'],
  ['backup backups', 'backup restic borg rsync snapshot'],
  ['login logins logon signin authentication', 'login password authentication auth'],
  ['password passwords passphrase', 'password authentication auth'],
  ['guess guesses guessed guessing brute', 'invalid failed'],
  ['hack hacked hacker hackers attack attacks attacked intruder intruders bruteforce', 'attack break invalid failed'],
  ['full space', 'full space quota enospc'],
  [
    'reboot reboots rebooted rebooting restart restarts restarted',
    'reboot restart restarting booting started shutdown shutting watchdog',
  ],
  ['internet', 'internet wan wan0 uplink gateway modem dsl ppp ppp0 pppd pppoe'],
  ['hot heat overheat overheats overheating temperature', 'temperature thermal overheating throttled throttling'],
  ['oom', 'oom memory killed enomem'],
  ['memory', 'memory oom enomem'],
  ['denied forbidden permission permissions', 'denied forbidden permission refused eacces eperm'],
  ['refuse refuses refused refusing', 'refused econnrefused denied forbidden permission'],
  ['dns resolve resolves resolving lookup', 'dns resolve lookup enotfound nxdomain servfail'],
  ['certificate certificates cert tls ssl', 'certificate tls ssl handshake expired'],
  ['buffer buffers buffering stutter stutters', 'buffer buffering transcode'],
]

const loggedFor = new Map<string, readonly string[]>()
for (const [question, logged] of rows) for (const word of question.split(' ')) loggedFor.set(word, logged.split(' '))

/** The words to search for: those of the question, then the words that logs use for them, without duplicates. */
export const withLoggedWords = (keywords: readonly string[]): string[] => [
  ...new Set([...keywords, ...keywords.flatMap((word) => loggedFor.get(word) ?? [])]),
]
