import { expect, test } from 'vitest'
import { keywordsOf } from './keywords.ts'
import { namedSources } from './named-sources.ts'

test('keywords are the words that carry meaning', () => {
  expect(keywordsOf('Why does the Postgres database keep refusing connections at 3pm?')).toEqual([
    'postgres',
    'database',
    'refusing',
    'connections',
  ])
  expect(keywordsOf('what is wrong?')).toEqual([])
})

test.each([
  ["I can't log in by ssh", ['login', 'ssh']],
  ['users are unable to sign in to Nextcloud', ['users', 'unable', 'login', 'nextcloud']],
  ['logging in takes forever', ['login', 'takes', 'forever']],
  ['errors in the log on web2', ['errors', 'log', 'web2']],
  ['who tried to break in?', ['attack']],
  ['a stranger broke into the server', ['stranger', 'attack']],
  ['it broke in the last update', ['broke', 'update']],
  ['did someone break in through ssh', ['attack', 'ssh']],
  ['the fan broke in May', ['fan', 'broke', 'may']],
  ['I cannot log in to the server with ssh', ['login', 'ssh']],
  ['someone is trying to get into my server', ['attack']],
  ['did they get in?', ['attack']],
  ['I cannot get into the wiki', ['login', 'wiki']],
  ['they get the music into the car', ['music', 'car']],
  ['wifi drops every night', ['wifi', 'drops']],
])('keywords of "%s"', (symptom, keywords) => {
  expect(keywordsOf(symptom)).toEqual(keywords)
})

test('a source is named by all its words, or by one that is unique to it', () => {
  const sources = ['host:web:nginx', 'host:db:postgres', 'router', 'app.log']
  expect(namedSources('is nginx slow?', sources)).toEqual(['host:web:nginx'])
  expect(namedSources('the router on the host', sources)).toEqual(['router'])
  expect(namedSources('the app logs errors', sources)).toEqual([])
  expect(namedSources('is postgresql slow?', sources)).toEqual(['host:db:postgres'])
})

test('a source is named by two words that its name joins', () => {
  const sources = ['docker:attic:homeassistant', 'docker:attic:assistant', 'pihole', 'web']
  expect(namedSources('Home Assistant is not reachable', sources)).toContain('docker:attic:homeassistant')
  expect(namedSources('the pi-hole blocks nothing', sources)).toEqual(['pihole'])
  expect(namedSources('we browse', sources)).toEqual([])
})

test('a host names all its sources, unless it has many or one of them is named', () => {
  const sources = ['nas:smbd', 'nas:kernel', 'web:nginx', 'nassau:cron']
  expect(namedSources('is a disk of the NAS broken?', sources)).toEqual(['nas:smbd', 'nas:kernel'])
  expect(namedSources('is a disk of the nas broken?', [...sources, 'a.log'])).toEqual(['nas:smbd', 'nas:kernel'])
  expect(namedSources('smbd of the nas is slow', sources)).toEqual(['nas:smbd'])
  expect(
    namedSources(
      'the nas',
      Array.from({ length: 6 }, (_, shelf) => `nas:s${shelf}`),
    ),
  ).toEqual([])
})

test('a unit names its sources on all hosts, or on the host that is named with it', () => {
  const sources = ['syslog:web1:nginx', 'syslog:web2:nginx', 'syslog:web1:sshd', 'nginx-error.log']
  expect(namedSources('is nginx slow?', sources)).toEqual(['syslog:web1:nginx', 'syslog:web2:nginx', 'nginx-error.log'])
  expect(namedSources('is nginx on web2 slow?', sources)).toEqual(['syslog:web2:nginx', 'nginx-error.log'])
})

test('the host of a unit names all its sources', () => {
  const sources = ['syslog:web1:nginx', 'syslog:web2:nginx', 'syslog:web1:sshd', 'syslog:web2:sshd']
  expect(namedSources('why is web1 down?', sources)).toEqual(['syslog:web1:nginx', 'syslog:web1:sshd'])
})
