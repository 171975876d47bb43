import { expect, test } from 'vitest'
import { severityOfCode } from '../entries/severity-code.ts'
import { guessSeverity, severityWords } from './severity-guess.ts'

test.each([
  ['kernel: Out of memory: Killed process 7 (java)', 'CRITICAL'],
  ['FATAL: the database system is starting up', 'CRITICAL'],
  ['error: cannot open /x', 'ERROR'],
  ['pam_unix: authentication failure; logname= uid=0', 'ERROR'],
  ['worker finished, 0 errors', null],
  ['no errors found', null],
  ['{"errors": 0, "failed": false}', null],
  ['error=null status=ok', null],
  ['errors: no', null],
  ['failed units: 0', null],
  ['no known data errors', null],
  ['ERROR rows: 0 of 7', 'ERROR'],
  ['Error: no such row', 'ERROR'],
  ['DoorException: no answer', 'ERROR'],
  ['dnsmasq[7]: query[A] errors.client.example.net from 192.0.2.7', null],
  ['dnsmasq[7]: forwarded blocked.example.net to 192.0.2.53', null],
  ['dnsmasq[7]: gravity blocked ads.example.net is 0.0.0.0', null],
  ['dnsmasq[7]: exactly denied ads.example.net is 0.0.0.0', null],
  ['dnsmasq[7]: regex denied ads.example.net is 0.0.0.0', null],
  ['it failed. See docs.example.net', 'ERROR'],
  ['completed with no warnings or errors', null],
  ['the shelf was not responding and failed', 'ERROR'],
  ['error: null value in column "row" violates a constraint', 'ERROR'],
  ['error: nil pointer dereference', 'ERROR'],
  ['7 checks ran, none failed', null],
  ['unbound: 7 queries, 0 prefetch, 0 rejected by ip ratelimiting', null],
  ['7 queries, 3 rejected', 'WARN'],
  ['0 of 7 backups failed', null],
  ['{"failed":0,"errors":[],"rejected":0}', null],
  ['dropped: 0, rejected: 0, invalid: 0', null],
  ['the error rate: 0.00 of 7', null],
  ['the error rate: 0.07 of 7', 'ERROR'],
  ['kernel: disk 0 failed', 'ERROR'],
  ['slot #0 failed', 'ERROR'],
  ['[drm:amdgpu_job_timedout] ring gfx_0.0.0 timeout', 'WARN'],
  ['loading the error-handler of the shelf', null],
  ['to=<error-reports@example.com>, status=sent', null],
  ['Client lamp disconnected.', null],
  ['Client lamp disconnected: protocol error', 'ERROR'],
  ['Client lamp lost: disconnected from the bridge', 'WARN'],
  ['hostapd: wlan0: AP-STA-DISCONNECTED 02:00:00:00:00:01', null],
  ['dovecot: imap(kim)<7><a>: Disconnected: Logged out in=7 out=77', null],
  ['sshd[7]: Disconnected from 192.0.2.7 port 50022', null],
  ['polkitd[7]: Unregistered Authentication Agent for unix-session:2 (disconnected from bus)', null],
  ['Disconnected from 192.0.2.7', 'WARN'],
  ["shelf.rb:7:in 'row': undefined method 'lean' for nil (NoMethodError)", 'ERROR'],
  ['CRON[7]: (root) CMD (/srv/row || echo "row failed" | mail kim)', null],
  ['crond[7]: USER root pid 77 cmd /srv/row || echo failed', null],
  ['cron[7]: (kim) ERROR (failed to open row)', 'ERROR'],
  ['sudo: kim : TTY=pts/6 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/grep error /srv/row', null],
  ['systemd[1]: Starting row.service - Process error reports...', null],
  ['systemd[1]: Finished row.service - Process error reports.', null],
  ['systemd[1]: Failed to start row.service - The row.', 'ERROR'],
  ['kernel: ERST: Error Record Serialization Table (ERST) support is initialized.', null],
  ['(XEN) Panic on CPU 7:', 'CRITICAL'],
  ['warning: low on entropy', 'WARN'],
  ['request timed out', 'WARN'],
  ['the user enjoys terrors', null],
  ['all is well', null],
])('%s', (text, severity) => {
  expect(severityOfCode(guessSeverity(text))).toBe(severity)
})

test('whatever a rule finds has one of the words that are listened for', () => {
  for (const text of [
    'panic: x',
    'crit: x',
    'severe: x',
    'NullPointerException: x',
    'crashed',
    'unable to',
    'throttled',
    'kernel bug',
    'time out',
  ]) {
    const words = text.toLowerCase().split(/[^a-z]+/)
    const heard = words.some((word) => severityWords.includes(word))
    expect({ text, heard: heard || /exception/i.test(text) }).toEqual({ text, heard: true })
  }
})
