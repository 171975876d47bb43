import { describe, expect, test } from 'vitest'
import type { SourceCount } from '../threads/index-calls.ts'
import { suggestSources } from './suggest.ts'
import { untrackedNames } from './untracked-names.ts'

const source = (sourceId: string, errors = 0): SourceCount => ({
  sourceId,
  entries: 100,
  bySeverity: [100 - errors, 0, errors, 0],
  firstTime: 0,
  lastTime: 0,
})

const sources = ['docker:attic:plex', 'journald:attic:sshd', 'journald:cellar:kernel', 'nginx-access', 'nas:postgresql']
const suggested = (text: string, hits: Record<string, number> = {}, counts = sources.map((id) => source(id))) =>
  suggestSources({ text, sources: counts, hits: new Map(Object.entries(hits)) })

describe('sources suggested for a text', () => {
  test.each([
    ['plex on the attic is down', 'docker:attic:plex'],
    ['movies keep buffering', 'docker:attic:plex'],
    ['failed passwords again', 'journald:attic:sshd'],
    ['out of memory again', 'journald:cellar:kernel'],
    ['the website answers 502', 'nginx-access'],
    ['a deadlock in the database', 'nas:postgresql'],
    ['postgres is slow', 'nas:postgresql'],
    ['mails about sshd on the nas', 'journald:attic:sshd'],
  ])('"%s" is about %s first', (text, first) => {
    expect(suggested(text)[0]).toMatchObject({ sourceId: first, reason: expect.stringMatching(/^[A-Z"].*\.$/) })
  })

  test('are ranked by how many of their entries have the words, and among equals by errors', () => {
    expect(
      suggested('flux capacitor', { 'nginx-access': 3, 'journald:cellar:kernel': 300 }).map((one) => one.sourceId),
    ).toEqual(['journald:cellar:kernel', 'nginx-access'])
    const twins = [source('app:one'), source('app:two', 5)]
    expect(suggested('the app fails', {}, twins).map((one) => one.sourceId)).toEqual(['app:two', 'app:one'])
  })

  test('list a repeated word of their name once', () => {
    expect(suggested('openssh fails', {}, [source('upload:openssh:OpenSSH')])[0]?.reason).toBe(
      'Its name has "openssh".',
    )
  })

  test('are the source whose whole name is in the text, not those that share its ending', () => {
    const logs = ['a.log', 'b.log', 'aa.log', 'shop.log'].map((id) => source(id))
    expect(suggested('A.log is full', {}, logs)).toEqual([
      { sourceId: 'a.log', score: 0.9, reason: 'It is named ("a.log").' },
    ])
    expect(suggested('look at b.log.', {}, logs).map(({ sourceId }) => sourceId)).toEqual(['b.log'])
    expect(suggested('the shop is slow', {}, logs).map(({ sourceId }) => sourceId)).toEqual(['shop.log'])
    expect(suggested('b.log.1 and x-a.log', {}, logs)).toEqual([])
  })

  test('are empty without a sign for any source, whatever errors there are', () => {
    expect(suggested('zzz', {}, [source('app:one', 99)])).toEqual([])
  })

  test('have scores from 0 to 1, best first, ten at most', () => {
    const many = Array.from({ length: 30 }, (_, index) => source(`web:${index}:nginx`, index))
    const scores = suggested('nginx', {}, many).map(({ score }) => score)
    expect(scores).toHaveLength(10)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    for (const score of scores) expect(score).toBeLessThanOrEqual(1)
  })
})

describe('untracked names', () => {
  test.each([
    ['jellyfin on nas-02 and db.example.org fail since 3pm', ['jellyfin', 'nas-02', 'db.example.org']],
    ['the host walnut went down', ['walnut']],
    ['192.0.2.7 gets http 502 after 10 minutes', ['192.0.2.7']],
    ['postgres and plex are slow', []],
    ['see /var/log/syslog.1 and app.log; python3 at step 2, ipv6, raid5', []],
    ['the server is down, the machine was off', []],
    ['Grafana grafana GRAFANA', ['Grafana']],
    ['nothing is named here', []],
  ])('of "%s" are %j', (text, names) => {
    expect(untrackedNames(text, sources)).toEqual(names)
  })

  test.each([
    ['db01 is slow', 'db01-syslog'],
    ['nas.local is slow', 'ssh:nas.local_auth'],
  ])('"%s" names no untracked host beside the source %s', (text, sourceId) => {
    expect(suggested(text, {}, [source(sourceId)])).toHaveLength(1)
    expect(untrackedNames(text, [sourceId])).toEqual([])
  })

  test('are not hidden by a source whose name only has the same beginning', () => {
    expect(untrackedNames('10.0.0.5 is slow', ['10.0.0.5-router'])).toEqual([])
    expect(untrackedNames('db1 and 10.0.0.1 are slow', ['db12-syslog', '10.0.0.12'])).toEqual(['db1', '10.0.0.1'])
  })

  test('a text of a million punctuation marks is read in linear time', () => {
    expect(untrackedNames(`db01 fails: a${'.'.repeat(1_000_000)}a`, [])).toEqual(['db01'])
  })
})
