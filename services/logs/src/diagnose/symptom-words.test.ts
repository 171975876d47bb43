import { expect, test } from 'vitest'
import { wordsOf } from '../segments/tokens.ts'
import { keywordsOf } from './keywords.ts'
import { withLoggedWords } from './symptom-words.ts'

test.each([
  ['connection refused', 'order 17 failed: connect ECONNREFUSED 10.0.4.12:5432'],
  ['why is the shop down?', 'connect EHOSTUNREACH 10.0.4.12:443'],
  ['uploads run into a timeout', 'read ETIMEDOUT'],
  ['the disk is full', 'write failed: ENOSPC'],
  ['permission problems', "EACCES: open '/srv/data/a.db'"],
  ['the connection was lost', 'read ECONNRESET'],
  ['dns does not work', 'getaddrinfo ENOTFOUND api.example.com'],
  ["I can't log in", 'sshd[812]: Failed password for ann from 192.0.2.7 port 4021'],
  ['someone guesses passwords', 'sshd[812]: Failed password for ann from 192.0.2.7 port 4021'],
  ['my password is not accepted', 'imap: authentication of ann was rejected'],
  ['many failures', 'registration of telephone 7 failed'],
  ['wi-fi drops', 'wpa_supplicant[402]: CTRL-EVENT-DISCONNECTED reason=3'],
  ['the wifi is slow', 'wlan0: deauthenticated from 02:00:00:00:00:01'],
  ['the internet is gone', 'pppd[71]: Timeout waiting for PADO packets'],
  ['it rebooted by itself', 'thermal_zone0: critical temperature reached, shutting down'],
  ['out of memory', 'fork: ENOMEM'],
])('"%s" also searches for how programs log it: %s', (question, line) => {
  const searched = new Set(withLoggedWords(keywordsOf(question)))
  expect([...searched].filter((word) => wordsOf(line).includes(word))).not.toEqual([])
})
