import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { type NatsRole, type NatsServer, natsRoles, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, connectNatsWorkerBus, jsonCodec, queue, shared, topics } from '@trellis/kit/bus'
import { openFiles } from '@trellis/kit/files'
import { silentLog } from '@trellis/kit/telemetry'
import { assignmentsOf, inputsOf, prepareWorkerTopics, runNotices, runTopic } from '@trellis/kit/workloads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { take } from '../support/collect.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'

const passwords = Object.fromEntries(natsRoles.map((role) => [role, `k-${role}`])) as Record<NatsRole, string>
const workers = ['search', 'generation', 'branch'] as const

const declareTopic = (family: string) =>
  topics({ family, ...jsonCodec<number>(), keep: { events: 9, milliseconds: 60_000 } })
const standings = shared({ name: 'listings.standings', ...jsonCodec<{ count: number }>() })

/** Topics and queues of which no worker may know anything, by the service that has them. */
const foreign = [
  {
    role: 'listings',
    topic: declareTopic('listings.updates'),
    jobs: queue({ name: 'listings.searches', ...jsonCodec() }),
  },
  { role: 'logs', topic: declareTopic('logs.tasks'), jobs: queue({ name: 'logs-entries', ...jsonCodec() }) },
  { role: 'music', topic: declareTopic('music.chains'), jobs: queue({ name: 'music.generations', ...jsonCodec() }) },
] as const

describe.skipIf(natsMissing !== undefined)(natsMissing ? `(skipped: ${natsMissing})` : 'accounts of NATS', () => {
  let server: NatsServer
  const opened = new AsyncDisposableStack()
  const ended = new AbortController()
  const options = (role: NatsRole) => ({
    servers: [server.address],
    name: role,
    credentials: { user: role, password: passwords[role] },
    log: silentLog,
  })
  const buses = {} as Record<(typeof foreign)[number]['role'] | 'operator', Bus>
  /** Every stream there is, which nobody but the owners of all may list. */
  const streamNames = async () => {
    const report = (await server.monitor('jsz?streams=true')) as {
      account_details: { stream_detail: { name: string; state: { messages: number } }[] }[]
    }
    return report.account_details.flatMap(({ stream_detail }) => stream_detail)
  }

  beforeAll(async () => {
    server = opened.use(await startNatsServer({ command: natsCommand, passwords }))
    for (const role of ['operator', 'listings', 'logs', 'music'] as const)
      buses[role] = opened.use(await connectNatsBus(options(role)))
    await prepareWorkerTopics(buses.operator)
    // The operator works on what workers tell it.
    void buses.operator.work(runNotices, async () => undefined, { signal: ended.signal })
    await buses.listings.change(standings, 'host', () => ({ value: { count: 0 }, result: undefined }))
    for (const { role, topic, jobs } of foreign) {
      await buses[role].publish(topic('a'), 1)
      await buses[role].enqueue(jobs, {})
    }
  })
  afterAll(async () => {
    ended.abort()
    await opened.disposeAsync()
  })

  test.each(['search', 'generation'] as const)('a %s worker reads its runs and reports on them', async (role) => {
    await using bus = await connectNatsWorkerBus(options(role))
    const id = `run-${role}`
    const assigned = take(bus.subscribe(assignmentsOf(id), { after: 'start', signal: ended.signal }), 2)
    await bus.publish(assignmentsOf(id), { runId: 'mark:1', ends: false })
    await buses.operator.publish(assignmentsOf(id), { runId: id, ends: false })
    expect((await assigned).map((delivery) => delivery.kind === 'event' && delivery.event.runId)).toEqual([
      'mark:1',
      id,
    ])
    await buses.operator.publish(inputsOf(id), { runId: id, input: Uint8Array.of(1, 2) })
    const [input] = await take(bus.subscribe(inputsOf(id), { after: 'start', signal: ended.signal }), 1)
    expect(input).toMatchObject({ kind: 'event', event: { input: Buffer.from([1, 2]) } })
    const sequence = await bus.publish(runTopic(id), {
      runId: id,
      number: 1,
      report: { $case: 'completed', value: { result: new Uint8Array() } },
    })
    const [report] = await take(buses.listings.subscribe(runTopic(id), { after: 'start', signal: ended.signal }), 1)
    expect(report).toMatchObject({ sequence })
    await bus.enqueue(runNotices, { runId: id, notice: { $case: 'worked', value: {} } })
  })

  test('search workers share values with compare-and-set, none lost', async () => {
    await using one = await connectNatsWorkerBus(options('search'))
    await using other = await connectNatsWorkerBus(options('search'))
    const add = (bus: typeof one) =>
      bus.change(standings, 'host', (value) => {
        const count = (value?.count ?? 0) + 1
        return { value: { count }, result: count }
      })
    const counts = await Promise.all([one, other, one, other, one, other].map(add))
    expect(counts.toSorted()).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('a generation worker reads and writes files where they lie in NATS', async () => {
    await using server = await startNatsServer({ command: natsCommand, passwords, filesInNats: true })
    const location = (role: NatsRole) => ({
      kind: 'nats' as const,
      servers: [server.address],
      bucket: 'trellis-files',
      replicas: 1,
      prefix: 'trellis',
      user: role,
      password: passwords[role],
    })
    await using music = await openFiles(location('music'))
    await music.write('music/a.wav', Buffer.from('in'))
    await using worker = await openFiles(location('generation'), { recover: false })
    expect(Buffer.from(await worker.readRange('music/a.wav', { start: 0, end: 9 })).toString()).toBe('in')
    await worker.write('music/b.wav', Buffer.from('out'))
    await worker.write('music/b.wav', Buffer.from('again'))
    expect(Buffer.from(await music.readRange('music/b.wav', { start: 0, end: 9 })).toString()).toBe('again')
  })

  test('clients without a password of a role are refused', async () => {
    const attempts = [
      {},
      { user: 'search', pass: passwords.logs },
      { token: passwords.logs },
      { user: 'root', pass: '' },
    ]
    for (const given of attempts)
      await expect(connect({ servers: server.address, reconnect: false, ...given })).rejects.toThrow(/Authorization/)
  })

  /** Everything that a worker might try against a stream: what is asked and the subject that it is asked at. */
  const requestsAt = (stream: string, subject: string) => [
    subject,
    ...['CREATE', 'UPDATE', 'DELETE', 'INFO', 'PURGE', 'MSG.GET', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE'].map(
      (call) => `$JS.API.STREAM.${call}.${stream}`,
    ),
    ...['LIST', 'NAMES', 'CREATE'].map((call) => `$JS.API.CONSUMER.${call}.${stream}`),
    `$JS.API.CONSUMER.CREATE.${stream}.mine`,
    `$JS.API.CONSUMER.CREATE.${stream}.mine.${subject}`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.mine`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.workers`,
    `$JS.API.CONSUMER.DELETE.${stream}.workers`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.${subject}`,
    `$JS.ACK.${stream}.workers.1.1.1.1.0`,
  ]
  const isRefused = async (client: NatsConnection, subject: string): Promise<boolean> => {
    const answer = await client.request(subject, '{}', { timeout: 2_000 }).then(
      () => 'answered',
      (error: Error) => String(error.message),
    )
    return answer.includes('Permissions Violation')
  }

  test.each(workers)('a %s worker is refused every request about streams that are not its own', async (role) => {
    await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
    const names = (await streamNames()).map(({ name }) => name)
    const own = /~workloads~(runs|assignments|inputs)$|~listings~standings$|_files_/
    const foreignStreams = names.filter((name) => role === 'branch' || !own.test(name))
    expect(foreignStreams.length).toBeGreaterThanOrEqual(8)
    const refused = foreignStreams.flatMap((name) => {
      const [prefix = '', kind = '', ...rest] = name.split('~')
      return requestsAt(name, `${prefix}.${kind}.${rest.join('.')}.a`)
    })
    const ofOwn = names
      .filter((name) => own.test(name) && !(role === 'generation' && name.includes('_files_')))
      .flatMap((name) =>
        requestsAt(name, 'x').filter((subject) => subject.startsWith('$JS.') && !subject.includes('DIRECT')),
      )
    const anywhere = [
      '$JS.API.INFO',
      '$JS.API.STREAM.LIST',
      '$JS.API.STREAM.NAMES',
      '$JS.API.ACCOUNT.PURGE.TRELLIS',
      '$KV.a.b',
      '$O.a.b',
      '$SYS.REQ.SERVER.PING',
      'anything',
    ]
    const answered: string[] = []
    for (const subject of [...refused, ...ofOwn, ...anywhere])
      if (!(await isRefused(client.nats, subject))) answered.push(subject)
    expect(answered).toEqual([])
  })

  test.each(workers)('a %s worker is refused every subscription but its answers and wake-ups', async (role) => {
    await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
    const subjects = [
      '>',
      'trellis.>',
      'trellis.topics.>',
      'trellis.topics.listings.updates.*',
      'trellis.queues.>',
      'trellis.files.>',
      '$JS.>',
      '$JS.API.>',
      '$SYS.>',
      '$KV.>',
      '$O.>',
      '_R_.>',
    ]
    for (const subject of subjects) {
      const { promise: refused, resolve } = Promise.withResolvers<string>()
      client.nats.subscribe(subject, { callback: (error) => resolve(error?.message ?? 'delivered') })
      await client.nats.flush()
      expect(await refused, subject).toContain('Permissions Violation')
    }
  })

  test.each(['search', 'generation'] as const)(
    'a %s worker cannot have an answer stored in a foreign stream',
    async (role) => {
      await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
      const held = (streams: Awaited<ReturnType<typeof streamNames>>) =>
        streams.flatMap(({ name, state }) => (/workloads/.test(name) ? [] : [`${name} ${state.messages}`])).toSorted()
      const before = await streamNames()
      const subjects = foreign.flatMap(({ topic, jobs }) => [
        `trellis.topics.${topic('a').name}`,
        `trellis.queues.${jobs.name}.job.forged`,
        '$JS.API.STREAM.PURGE.trellis~topics~logs~tasks',
      ])
      for (const reply of subjects) {
        client.nats.publish('trellis.topics.workloads.runs.forged', '{}', { reply })
        client.nats.publish(
          '$JS.API.DIRECT.GET.trellis~topics~workloads~runs',
          '{"last_by_subj":"trellis.topics.workloads.runs.forged"}',
          { reply },
        )
      }
      await client.nats.request('trellis.topics.workloads.runs.forged', '{}')
      expect(held(await streamNames())).toEqual(held(before))
    },
  )

  test('a service is refused the streams of the others', async () => {
    for (const { role } of foreign) {
      await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
      for (const other of foreign.filter(({ role: owner }) => owner !== role)) {
        const family = other.topic('a').family
        const requests = requestsAt(`trellis~topics~${family.replace('.', '~')}`, `trellis.topics.${family}.a`)
        for (const subject of requests) expect(await isRefused(client.nats, subject), subject).toBe(true)
      }
    }
  })

  test('a store from before there were accounts is found again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'trellis-nats-accounts-'))
    try {
      const note = declareTopic('logs.tasks')('kept')
      {
        await using older = await startNatsServer({ command: natsCommand, directory })
        await using bus = await connectNatsBus({ servers: [older.address], name: 'older', log: silentLog })
        await bus.publish(note, 7)
      }
      {
        await using newer = await startNatsServer({ command: natsCommand, directory, passwords })
        const credentials = { user: 'logs', password: passwords.logs }
        await using bus = await connectNatsBus({ servers: [newer.address], name: 'newer', credentials, log: silentLog })
        const [delivery] = await take(bus.subscribe(note, { after: 'start', signal: ended.signal }), 1)
        expect(delivery).toMatchObject({ event: 7 })
      }
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
})

const closing = (nats: NatsConnection) => ({ nats, [Symbol.asyncDispose]: () => nats.close() })
