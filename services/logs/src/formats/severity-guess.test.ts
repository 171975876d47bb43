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
