import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answering, type RecordedRequest, startHttpServer } from '../support/http-server.ts'
import { type LogsReplica, openLogsCluster } from '../support/logs-replicas.ts'
import { postgresMissing } from '../support/postgres.ts'
import { natsMissing } from '../support/programs.ts'
import { makeKeyPair, sshdMissing, startSshd } from '../support/sshd.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { waitFor } from '../support/wait-for.ts'

const missing = natsMissing ?? postgresMissing
const reason = missing ? ` (skipped: ${missing})` : ''
const patiently = { timeout: 170_000, interval: 250 }

const errorsAt = (start: number, count: number, word: string) =>
  Array.from({ length: count }, (_, number) => ({
    text: `${word} failure ${number}`,
    timestamp_iso: new Date(start + number * 1_000).toISOString(),
    severity: 'ERROR',
  }))
const guesses = (start: number, count: number, address: string, from = 0) =>
  Array.from({ length: count }, (_, number) => ({
    text: `sshd[7]: Failed password for root from ${address} port 37033 ssh2`,
    timestamp_iso: new Date(start + (from + number) * 2_000).toISOString(),
    sequence: from + number,
  }))
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `2026-03-01T09:15:02Z INFO line n${from + index}\n`).join('')
const numbers = (to: number) => Array.from({ length: to }, (_, number) => number)
const numbersOf = (texts: readonly string[]) =>
  texts.map((text) => Number(/n(\d+)$/.exec(text)?.[1])).toSorted((a, b) => a - b)

/** A Jira that stores issues, finds them by a phrase, and leaves creations unanswered while `silent.isOn`. */
const startJira = async () => {
  const issues: { key: string; text: string }[] = []
  const silent = { isOn: false }
  const server = await startHttpServer(({ method, url, body }: RecordedRequest): Answering | Promise<Answering> => {
    const { pathname, searchParams } = new URL(url, 'http://jira')
    if (method === 'POST' && pathname === '/rest/api/2/issue') {
      const key = `OPS-${issues.length + 1}`
      issues.push({ key, text: JSON.stringify(body) })
      return silent.isOn ? new Promise<Answering>(() => undefined) : { status: 201, body: { key } }
    }
    const [, phrase = 'none'] = /description ~ "\\"(.+?)\\""/.exec(searchParams.get('jql') ?? '') ?? []
    return { status: 200, body: { issues: issues.filter(({ text }) => text.includes(phrase)) } }
  })
  return { issues, silent, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** A bundle receiver that accepts, refuses or ignores requests, and counts requests and accepted bundles by idempotency key. */
const startReceiver = async () => {
  const requested = new Map<string, number>()
  const taken = new Map<string, number>()
  const mode: { answer: 'take' | 'refuse' | 'silent' } = { answer: 'take' }
  const server = await startHttpServer(({ headers }: RecordedRequest): Answering | Promise<Answering> => {
    const key = String(headers['idempotency-key'])
    requested.set(key, (requested.get(key) ?? 0) + 1)
    if (mode.answer === 'silent') return new Promise<Answering>(() => undefined)
    if (mode.answer === 'refuse') return { status: 503, headers: { 'retry-after': '1' } }
    taken.set(key, (taken.get(key) ?? 0) + 1)
    return { status: 201, body: { id: key } }
  })
  return { requested, taken, mode, url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const incident = (label: string) => ({ label, startedAt: '2026-03-01T09:00:00Z', endedAt: '2026-03-01T10:00:00Z' })
const sentOf = async ({ incidents }: LogsReplica, incidentId: string) =>
  (await incidents.listSentBundles({ incidentId })).sentBundles.map(({ id, status }) => ({ id, status }))
const automaticOf = async ({ incidents }: LogsReplica, sourceId: string) =>
  (await incidents.listIncidents({ issueType: `auto:${sourceId}` })).incidents
const detectionsOf = async ({ scoring }: LogsReplica, sourceId: string) =>
  (await scoring.listCybersecDetections({ source: sourceId })).detections

const expectEachOnce = (detections: Awaited<ReturnType<typeof detectionsOf>>) => {
  const kinds = detections.map(({ label, subject }) => `${label} ${subject}`)
  expect(kinds).toEqual([...new Set(kinds)])
}

describe.skipIf(missing)(`two replicas of the logs service on one Postgres and one JetStream${reason}`, () => {
  const opened = new AsyncDisposableStack()
  let jira: Awaited<ReturnType<typeof startJira>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let directory: string
  let cluster: Awaited<ReturnType<typeof openLogsCluster>>
  let one: LogsReplica
  let other: LogsReplica
  const log = (name: string) => join(directory, `${name}.log`)

  beforeAll(async () => {
    directory = opened.use(await temporaryDirectory()).path
    jira = opened.use(await startJira())
    receiver = opened.use(await startReceiver())
    await mkdir(join(directory, 'keys'))
    await writeFile(log('app'), numbered(0, 50))
    await writeFile(log('web'), numbered(0, 10))
    const sources = join(directory, 'sources.yaml')
    await writeFile(sources, `sources:\n  - {id: app, path: ${log('app')}}\n  - {id: web, path: ${log('web')}}\n`)
    cluster = opened.use(
      await openLogsCluster({
        SERVICE_SOURCES_FILE: sources,
        SERVICE_LOG_DIRS: directory,
        SERVICE_GLEAN_INTERVAL: '2',
        SERVICE_BUNDLE_ENDPOINT: `${receiver.url}/bundles`,
        SERVICE_SSH_KEY_DIRS: join(directory, 'keys'),
      }),
    )
    one = await cluster.startReplica()
    // Wait until it watches, so that the other replica must take over the watch when this one is killed.
    await waitFor(async () => expect((await one.collect.getWatchStatus({})).running).toBe(true), patiently)
    other = await cluster.startReplica()
  })
  afterAll(() => opened.disposeAsync())

  // Concurrent tests each need their own `expect`.
  describe.concurrent('while both run', () => {
    test('a burst split between the replicas makes one automatic incident', async ({ expect }) => {
      const start = Date.now() - 60_000
      await Promise.all([
        one.push('burst', errorsAt(start, 4, 'first')),
        other.push('burst', errorsAt(start + 4_000, 4, 'second')),
      ])
      const counts = async (replica: LogsReplica) =>
        (await automaticOf(replica, 'burst')).map(({ errorCount }) => errorCount)
      await expect.poll(() => counts(one), patiently).toEqual([8])
      expect(await counts(other)).toEqual([8])
    })

    test('an attack split between the replicas is detected once, and its entries are scored', async ({ expect }) => {
      const start = Date.now() - 120_000
      const address = '192.0.2.17'
      await Promise.all([
        one.push('guessed', guesses(start, 6, address)),
        other.push('guessed', guesses(start, 6, address, 6)),
      ])
      const counts = async () => (await detectionsOf(one, 'guessed')).map(({ entryCount }) => entryCount)
      // Several rules may match it, each once.
      await expect.poll(async () => new Set(await counts()), patiently).toEqual(new Set([12]))
      const detections = await detectionsOf(other, 'guessed')
      expect(detections.map(({ subject }) => subject)).toContain(address)
      expectEachOnce(detections)
      const { entries } = await other.logs.search({ source: 'guessed', limit: 50, order: 'time' })
      expect(entries.filter(({ mlScore }) => mlScore !== null && mlScore !== undefined).length).toBeGreaterThan(0)
    })

    test('a growing source is collected once, by schedule, request and watcher', async ({ expect }) => {
      let written = 50
      for (let turn = 0; turn < 10; turn++) {
        await appendFile(log('app'), numbered(written, written + 20))
        written += 20
        const requested = [one, other].map(({ collect }) => collect.gleanSource({ sourceId: 'app' }))
        const answers = await Promise.allSettled(requested)
        for (const answer of answers)
          if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ kind: 'conflict' })
      }
      await expect.poll(async () => (await other.texts('app')).length, patiently).toBe(written)
      expect(numbersOf(await one.texts('app'))).toEqual(numbers(written))
    })

    test('both replicas report the watcher of one, and either can reload it', async ({ expect }) => {
      const states = await Promise.all([one, other].map(({ collect }) => collect.getWatchStatus({})))
      expect(states).toMatchObject([{ running: true }, { running: true }])
      expect(await other.collect.reloadWatch({})).toMatchObject({ running: true })
    })

    test('a source added at either replica is collected within seconds', async ({ expect }) => {
      await writeFile(log('added'), numbered(0, 5))
      await other.setup.writeSources({ sources: [{ id: 'added', path: log('added') }] })
      const { sources } = await one.collect.listConfiguredSources({})
      expect(sources.map(({ id }) => id)).toEqual(['app', 'web', 'added'])
      expect((await one.setup.getSetupStatus({})).sourceCount).toBe(3)
      await expect.poll(async () => (await other.texts('added')).length, patiently).toBe(5)
      await expect
        .poll(async () => (await other.collect.getWatchStatus({})).sources, patiently)
        .toEqual(['app', 'web', 'added'])
    })

    test('a queued bundle is sent once by either replica when the receiver is back', async ({ expect }) => {
      const { id } = await one.incidents.createIncident(incident('once'))
      receiver.mode.answer = 'refuse'
      await one.incidents.sendBundle({ id })
      await other.incidents.sendBundle({ id })
      expect((await sentOf(other, id)).map(({ status }) => status)).toEqual(['queued', 'queued'])
      receiver.mode.answer = 'take'
      await expect
        .poll(async () => (await sentOf(one, id)).map(({ status }) => status), patiently)
        .toEqual(['sent', 'sent'])
      expect((await sentOf(other, id)).map(({ id: key }) => receiver.taken.get(key))).toEqual([1, 1])
    })

    test('settings and secrets changed at one replica apply at both at once', async ({ expect }) => {
      const updated = { jiraUrl: jira.url, jiraToken: 'pat', jiraProject: 'OPS', techLevel: 'executive' }
      const updateMask = ['jira_url', 'jira_token', 'jira_project', 'tech_level']
      await one.settings.updateSettings({ ...updated, updateMask })
      expect(await other.settings.getSettings({})).toMatchObject({ ...updated, jiraToken: '***' })
      const { id } = await one.incidents.createIncident(incident('ticket'))
      const tickets = await Promise.allSettled(
        [one, other].map(({ incidents }) => incidents.exportTicket({ id, tracker: 'jira' })),
      )
      const ids = tickets.flatMap((ticket) => (ticket.status === 'fulfilled' ? ticket.value.ticketId : []))
      for (const ticket of tickets)
        if (ticket.status === 'rejected') expect(ticket.reason).toMatchObject({ kind: 'conflict' })
      expect(new Set(ids).size).toBe(1)
      expect(jira.issues.filter(({ text }) => text.includes(id))).toHaveLength(1)
    })

    test('context facts added or deleted at one replica are visible at both', async ({ expect }) => {
      const fact = { category: 'host', key: 'zeppelin', value: 'runs the backups' }
      const { id } = await one.context.putContextFact(fact)
      const found = async ({ context }: LogsReplica) =>
        (await context.searchContext({ q: 'zeppelin' })).facts.map(({ key }) => key)
      expect(await found(other)).toEqual(['zeppelin'])
      await other.context.deleteContextFact({ factId: id })
      expect(await found(one)).toEqual([])
    })

    test.skipIf(sshdMissing)(
      'an SSH target created at one replica can be tested at the other, and both show the result',
      async ({ expect }) => {
        const key = makeKeyPair()
        await using server = await startSshd()
        await server.authorize(key.public)
        const keyPath = join(directory, 'keys', 'id_ed25519')
        await writeFile(keyPath, key.private, { mode: 0o600 })
        const { port, user } = server
        const { id } = await one.sshTargets.createSshTarget({ label: 'NAS', host: '127.0.0.1', port, user, keyPath })
        expect(await other.sshTargets.testSshTarget({ id })).toMatchObject({ ok: true })
        expect((await one.sshTargets.listSshTargets({})).sshTargets).toMatchObject([{ id, lastOk: true }])
        await other.sshTargets.deleteSshTarget({ id })
        await expect(one.sshTargets.testSshTarget({ id })).rejects.toMatchObject({ kind: 'not_found' })
      },
    )

    test('a source is deleted for both replicas, and only one vacuums at a time', async ({ expect }) => {
      await one.push('gone', errorsAt(Date.parse('2026-01-01T00:00:00Z'), 200, 'gone'))
      await one.push('stays', errorsAt(Date.parse('2026-01-01T00:00:00Z'), 3, 'stays'))
      await other.entries.deleteSource({ sourceId: 'gone' })
      expect(await one.texts('gone')).toEqual([])
      const tasks = await Promise.all([one, other].map(({ entries }) => entries.vacuum({})))
      const ends = await Promise.all(tasks.map(({ taskId }) => other.finished(taskId)))
      expect(ends.some(({ status }) => status === 'done')).toBe(true)
      for (const { status, error } of ends) if (status !== 'done') expect(error).toContain('Another vacuum is running')
      expect([await one.texts('gone'), await other.texts('gone')]).toEqual([[], []])
      expect(await one.texts('stays')).toHaveLength(3)
      await one.push('gone', errorsAt(Date.parse('2026-01-01T00:00:00Z'), 5, 'gone'))
      expect(await other.texts('gone')).toHaveLength(5)
    })
  })

  describe('after one of them was killed', () => {
    let sentId: string
    let ticketId: string
    let left: Promise<unknown>

    beforeAll(async () => {
      const now = Date.now()
      const [sent, ticket] = await Promise.all([
        one.incidents.createIncident(incident('sent halfway')),
        one.incidents.createIncident(incident('exported halfway')),
      ])
      sentId = sent.id
      ticketId = ticket.id
      jira.silent.isOn = true
      receiver.mode.answer = 'silent'
      const before = jira.issues.length
      // Work in progress when the replica dies; its callers get no answer.
      left = Promise.allSettled([
        one.incidents.sendBundle({ id: sentId }),
        one.incidents.exportTicket({ id: ticketId, tracker: 'jira' }),
      ])
      await waitFor(async () => {
        expect(jira.issues.length).toBe(before + 1)
        const [bundle] = await sentOf(other, sentId)
        expect(receiver.requested.get(bundle?.id ?? '')).toBe(1)
      }, patiently)
      await Promise.all([
        one.push('orphaned', errorsAt(now - 60_000, 6, 'orphaned')),
        one.push('attacked', guesses(now - 60_000, 8, '192.0.2.99')),
        appendFile(log('web'), numbered(10, 30)),
      ])
      await one.end('SIGKILL')
      jira.silent.isOn = false
      receiver.mode.answer = 'take'
      await appendFile(log('web'), numbered(30, 60))
      await left
    })

    test('errors pushed only to the killed replica make one incident', async () => {
      await expect.poll(async () => (await automaticOf(other, 'orphaned')).length, patiently).toBe(1)
      expect((await automaticOf(other, 'burst')).length).toBe(1)
    })

    test('entries pushed to the killed replica are scored once', async () => {
      const counts = async () => (await detectionsOf(other, 'attacked')).map(({ entryCount }) => entryCount)
      await expect.poll(async () => new Set(await counts()), patiently).toEqual(new Set([8]))
      for (const source of ['attacked', 'guessed']) expectEachOnce(await detectionsOf(other, source))
    })

    test('the other replica collects and watches its sources without lost or duplicate lines', async () => {
      await expect.poll(async () => (await other.texts('web')).length, patiently).toBe(60)
      expect(numbersOf(await other.texts('web'))).toEqual(numbers(60))
      const status = async () => await other.collect.getWatchStatus({})
      await expect.poll(async () => (await status()).running, patiently).toBe(true)
      await appendFile(log('web'), numbered(60, 61))
      await expect.poll(async () => (await other.texts('web')).length, patiently).toBe(61)
    })

    test('a ticket that the killed replica created is found in the tracker instead of created again', async () => {
      const exported = async () => {
        try {
          return (await other.incidents.exportTicket({ id: ticketId, tracker: 'jira' })).ticketId
        } catch (error) {
          expect(error).toMatchObject({ kind: 'conflict' })
          return undefined
        }
      }
      const made = jira.issues.filter(({ text }) => text.includes(ticketId)).map(({ key }) => key)
      expect(made).toHaveLength(1)
      await expect.poll(exported, patiently).toBe(made[0])
      expect(jira.issues.filter(({ text }) => text.includes(ticketId))).toHaveLength(1)
    })

    test('the other replica sends an interrupted bundle again under the same idempotency key', async () => {
      await expect.poll(() => sentOf(other, sentId), patiently).toMatchObject([{ status: 'sent' }])
      const [bundle] = await sentOf(other, sentId)
      expect(receiver.requested.get(bundle?.id ?? '')).toBe(2)
      expect(receiver.taken.get(bundle?.id ?? '')).toBe(1)
    })

    test('a new replica has all settings, incidents and entries', async () => {
      const next = await cluster.startReplica()
      expect(await next.settings.getSettings({})).toMatchObject({ jiraUrl: jira.url, techLevel: 'executive' })
      expect((await automaticOf(next, 'burst')).length).toBe(1)
      expect(numbersOf(await next.texts('web'))).toEqual(numbers(61))
    })
  })
})
