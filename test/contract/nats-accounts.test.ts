import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { type NatsRole, type NatsServer, natsRoles, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, connectNatsWorkerBus, jsonCodec, queue, shared, topics } from '@trellis/kit/bus'
import { readConfig } from '@trellis/kit/config'
import { type FilesLocation, openFiles } from '@trellis/kit/files'
import { connectionsConfig, filesLocation } from '@trellis/kit/process'
import { silentLog } from '@trellis/kit/telemetry'
import {
  assignmentsOf,
  inputsOf,
  prepareWorkerTopics,
  type RunKind,
  runEvents,
  runKinds,
  runTopic,
  workerEvents,
} from '@trellis/kit/workloads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { take } from '../support/collect.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'

const passwords = Object.fromEntries(natsRoles.map((role) => [role, `k-${role}`])) as Record<NatsRole, string>
const workers = ['search', 'generation', 'branch'] as const
/** Workers that use files, if those are in NATS. */
const filesWorkers = ['generation', 'audio'] as const
const otherKind = { search: 'generation', generation: 'search' } as const

/** Streams that a worker reads or publishes to. */
const ownStreams: Readonly<Record<(typeof workers)[number], RegExp>> = {
  search: /^trellis~topics~workloads~(runs|assignments|inputs)~search$|~listings~standings$/,
  generation: /^trellis~topics~workloads~(runs|assignments|inputs)~generation$/,
  branch: /^$/,
}
const filesStream = 'trellis_files_trellis-files'

const declareTopic = (family: string) =>
  topics({ family, ...jsonCodec<number>(), keep: { events: 9, milliseconds: 60_000 } })
const standings = shared({ name: 'listings.standings', ...jsonCodec<{ count: number }>() })

/** Topics and queues that no worker may access, by the service that owns them. */
const foreign = [
  {
    role: 'listings',
    topic: declareTopic('listings.updates'),
    jobs: queue({ name: 'listings.searches', ...jsonCodec() }),
  },
  { role: 'logs', topic: declareTopic('logs.tasks'), jobs: queue({ name: 'logs-entries', ...jsonCodec() }) },
  { role: 'music', topic: declareTopic('music.chains'), jobs: queue({ name: 'music.generations', ...jsonCodec() }) },
] as const

const modes = [
  { name: 'files are in S3', filesInNats: false },
  { name: 'files are in NATS', filesInNats: true },
]

describe.skipIf(natsMissing !== undefined).each(modes)(
  `accounts of NATS${natsMissing ? ` (skipped: ${natsMissing})` : ''}, where $name`,
  ({ filesInNats }) => {
    let server: NatsServer
    const opened = new AsyncDisposableStack()
    const ended = new AbortController()
    const options = (role: NatsRole) => ({
      servers: [server.address],
      name: role,
      credentials: { user: role, password: passwords[role] },
      log: silentLog,
    })
    /** The files location of a process of a role, as configured by its environment. */
    const filesAt = (role: NatsRole): FilesLocation =>
      filesLocation(
        readConfig(connectionsConfig, {
          NATS_URL: server.address,
          NATS_USER: role,
          NATS_PASSWORD: passwords[role],
          ...(filesWorkers.some((worker) => worker === role) && { NATS_FILES_API: 'trellis.js' }),
        }),
      )
    const buses = {} as Record<(typeof foreign)[number]['role'] | 'operator', Bus>
    /** All streams, from the server's monitoring endpoint. */
    const streamNames = async () => {
      const report = (await server.monitor('jsz?streams=true')) as {
        account_details: { stream_detail: { name: string; state: { messages: number } }[] }[]
      }
      return report.account_details.flatMap(({ stream_detail }) => stream_detail)
    }

    beforeAll(async () => {
      server = opened.use(await startNatsServer({ command: natsCommand, passwords, filesInNats }))
      for (const role of ['operator', 'listings', 'logs', 'music'] as const)
        buses[role] = opened.use(await connectNatsBus(options(role)))
      await prepareWorkerTopics(buses.operator)
      for (const jobs of [runEvents, ...runKinds.map((kind) => workerEvents[kind])])
        await buses.operator.enqueue(jobs, { runId: 'prepared', event: null })
      if (filesInNats) {
        await using files = await openFiles(filesAt('music'))
        await files.write('logs/segment', Buffer.from('lines'))
        await files.write('music/kept.wav', Buffer.from('kept'))
      }
      await buses.listings.update(standings, 'host', () => ({ value: { count: 0 }, result: undefined }))
      for (const { role, topic, jobs } of foreign) {
        await buses[role].publish(topic('a'), 1)
        await buses[role].enqueue(jobs, {})
      }
    })
    afterAll(async () => {
      ended.abort()
      await opened.disposeAsync()
    })

    test.each(runKinds)('a %s worker reads its assignments and inputs and reports on its runs', async (kind) => {
      await using bus = await connectNatsWorkerBus(options(kind))
      const id = `run-${kind}`
      const topic = assignmentsOf[kind](id)
      expect(await bus.lastSequence(topic)).toBe(0)
      const assigned = take(bus.subscribe(topic, { after: 'start', signal: ended.signal }), 1)
      const sequence = await buses.operator.publish(topic, { runId: id, ends: false })
      expect(await assigned).toMatchObject([{ kind: 'event', event: { runId: id } }])
      expect([await bus.lastSequence(topic), await buses.operator.lastSequence(topic)]).toEqual([sequence, sequence])
      await buses.operator.publish(inputsOf[kind](id), { runId: id, input: Uint8Array.of(1, 2) })
      const [input] = await take(bus.subscribe(inputsOf[kind](id), { after: 'start', signal: ended.signal }), 1)
      expect(input).toMatchObject({ kind: 'event', event: { input: Buffer.from([1, 2]) } })
      const reported = await bus.publish(runTopic[kind](id), {
        runId: id,
        number: 1,
        report: { $case: 'completed', value: { result: new Uint8Array() } },
      })
      const service = kind === 'search' ? buses.listings : buses.music
      const [report] = await take(service.subscribe(runTopic[kind](id), { after: 'start', signal: ended.signal }), 1)
      expect(report).toMatchObject({ sequence: reported })
      await bus.enqueue(workerEvents[kind], { runId: id, event: { $case: 'worked', value: {} } })
    })

    test.each(runKinds)(
      'a %s worker reads and reports nothing of the other kind, assigns no runs, and ends none',
      async (kind) => {
        await using client = closing(await connect({ servers: server.address, user: kind, pass: passwords[kind] }))
        const other: RunKind = otherKind[kind]
        const topic = (name: string) => `trellis.topics.workloads.${name}`
        const stream = (name: string) => `trellis~topics~workloads~${name}`
        const refused = [
          topic(`runs.${other}.run`),
          topic(`inputs.${other}.run`),
          ...runKinds.map((one) => topic(`assignments.${one}.pod`)),
          `trellis.queues.workloads.worker-notices.${other}.job.a`,
          'trellis.queues.workloads.notices.job.a',
          'trellis.queues.workloads.notices.id.a',
          ...['runs', 'inputs', 'assignments'].flatMap((name) => [
            `$JS.API.DIRECT.GET.${stream(`${name}~${other}`)}`,
            `$JS.API.DIRECT.GET.${stream(`${name}~${other}`)}.${topic(`${name}.${other}.run`)}`,
          ]),
        ]
        const answered: string[] = []
        for (const subject of refused) if (!(await isRefused(client.nats, subject))) answered.push(subject)
        for (const name of ['runs', 'inputs', 'assignments'])
          if (!(await isSubscriptionRefused(client.nats, topic(`${name}.${other}.*`)))) answered.push(`${name}.*`)
        expect(answered).toEqual([])
      },
    )

    test('search workers share values with compare-and-set, none lost', async () => {
      await using one = await connectNatsWorkerBus(options('search'))
      await using other = await connectNatsWorkerBus(options('search'))
      const add = (bus: typeof one) =>
        bus.update(standings, 'host', (value) => {
          const count = (value?.count ?? 0) + 1
          return { value: { count }, result: count }
        })
      const counts = await Promise.all([one, other, one, other, one, other].map(add))
      expect(counts.toSorted()).toEqual([1, 2, 3, 4, 5, 6])
    })

    test.runIf(filesInNats).each(filesWorkers)(
      'a %s worker reads files, and writes and replaces audio; the service removes what was replaced',
      async (role) => {
        await using music = await openFiles(filesAt('music'))
        await music.write('music/a.wav', Buffer.from('in'))
        await using worker = await openFiles(filesAt(role), { recover: false })
        expect(await worker.stat('music/a.wav')).toMatchObject({ size: 2 })
        expect(Buffer.from(await worker.readRange('music/a.wav', { start: 0, end: 9 })).toString()).toBe('in')
        await worker.write('music/b.wav', Buffer.from('out'))
        await worker.write('music/b.wav', Buffer.from('again'))
        expect(Buffer.from(await music.readRange('music/b.wav', { start: 0, end: 9 })).toString()).toBe('again')
        const messagesByKind = async () => {
          await using client = closing(
            await connect({ servers: server.address, user: 'music', pass: passwords.music, reconnect: false }),
          )
          const { streams } = await jetstreamManager(client.nats)
          const { state } = await streams.info(filesStream, { subjects_filter: '>' })
          const found = Object.entries(state.subjects ?? {}).map(([subject, count]) => [subject.split('.')[3], count])
          return Object.groupBy(found, ([kind]) => String(kind))
        }
        expect((await messagesByKind()).intent?.length).toBeGreaterThan(0)
        await (await openFiles(filesAt('music'), { now: () => Date.now() + 25 * 60 * 60_000 }))[Symbol.asyncDispose]()
        const { key = [], content = [], intent = [] } = await messagesByKind()
        expect(intent).toEqual([])
        expect(content).toHaveLength(key.length)
        expect(Buffer.from(await music.readRange('music/b.wav', { start: 0, end: 9 })).toString()).toBe('again')
      },
    )

    test.runIf(filesInNats).each(filesWorkers)(
      'a %s worker writes no other files, and has no other use of their stream',
      async (role) => {
        await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
        const calls = ['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'SNAPSHOT', 'RESTORE', 'MSG.DELETE']
        const refused = [
          'trellis.files.trellis-files.key.logs.segment',
          'trellis.files.trellis-files.key.segment',
          ...['content', 'intent'].flatMap((kind) => [
            `trellis.files.trellis-files.${kind}.logs.a`,
            `trellis.files.trellis-files.${kind}.a`,
          ]),
          ...['$JS.API', 'trellis.js'].flatMap((api) => [
            ...calls.map((call) => `${api}.STREAM.${call}.${filesStream}`),
            `${api}.STREAM.PURGE.trellis~topics~logs~tasks`,
            `${api}.STREAM.MSG.GET.trellis~topics~logs~tasks`,
            `${api}.STREAM.INFO.trellis~topics~logs~tasks`,
            `${api}.DIRECT.GET.trellis~topics~logs~tasks`,
            `${api}.STREAM.NAMES`,
            `${api}.CONSUMER.CREATE.${filesStream}`,
          ]),
        ]
        const answered: string[] = []
        for (const subject of refused) if (!(await isRefused(client.nats, subject))) answered.push(subject)
        expect(answered).toEqual([])
      },
    )

    test.runIf(filesInNats).each(filesWorkers)(
      'a hostile %s worker erases no files, neither itself nor through the service that removes its own',
      async (role) => {
        await using logs = await openFiles(filesAt('logs'))
        const segment = async () => Buffer.from(await logs.readRange('logs/segment', { start: 0, end: 99 })).toString()
        expect(await segment()).toBe('lines')
        const root = 'trellis.files.trellis-files'
        const key = `music/${role}/forged`
        await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
        const streams = jetstream(client.nats, { apiPrefix: 'trellis.js' })
        for (const value of ['all', 'sub']) {
          const rollup = headers()
          rollup.set('Nats-Rollup', value)
          for (const subject of [`${root}.key.music.a`, `${root}.content.music.a`, `${root}.intent.music.a`])
            await expect(streams.publish(subject, 'x', { headers: rollup })).rejects.toThrow(/rollup/)
        }
        const answer = await client.nats.request(
          `trellis.js.STREAM.MSG.GET.${filesStream}`,
          JSON.stringify({ last_by_subj: `${root}.key.logs.segment` }),
        )
        const { message } = answer.json<{ message: { data: string } }>()
        const manifest = JSON.parse(Buffer.from(message.data, 'base64').toString())
        expect(manifest.id).toMatch(/^logs\./)
        const ids: string[] = [manifest.id, `music.${manifest.id}`, 'logs.>', '>', 'music.>']
        await using music = await openFiles(filesAt('music'))
        for (const id of ids) {
          await streams.publish(`${root}.key.music.${role}.forged`, JSON.stringify({ ...manifest, id }))
          await expect(music.readRange(key, { start: 0, end: 9 })).rejects.toMatchObject({ kind: 'upstream_failed' })
          await expect(music.remove(key)).rejects.toMatchObject({ kind: 'upstream_failed' })
        }
        for (const named of ['logs/segment', 'logs', key]) await streams.publish(`${root}.intent.music.forged`, named)
        await (await openFiles(filesAt('music'), { now: () => Date.now() + 25 * 60 * 60_000 }))[Symbol.asyncDispose]()
        expect(await segment()).toBe('lines')
        expect(Buffer.from(await music.readRange('music/kept.wav', { start: 0, end: 9 })).toString()).toBe('kept')
      },
    )

    test('audio workers that are child processes have no access to NATS except for files', async () => {
      const credentials = { servers: server.address, user: 'audio', pass: passwords.audio, reconnect: false }
      if (!filesInNats) {
        await expect(connect(credentials)).rejects.toThrow(/Authorization/)
        return
      }
      await using client = closing(await connect(credentials))
      const subjects = [
        ...runKinds.flatMap((kind) => [
          `trellis.topics.workloads.runs.${kind}.run`,
          `trellis.topics.workloads.inputs.${kind}.run`,
          `trellis.topics.workloads.assignments.${kind}.pod`,
          `trellis.queues.workloads.worker-notices.${kind}.job.a`,
        ]),
        ...(await streamNames())
          .filter(({ name }) => name !== filesStream)
          .flatMap(({ name }) => requestsAt(name, 'x').filter((subject) => subject.startsWith('$JS.'))),
      ]
      const answered: string[] = []
      for (const subject of subjects) if (!(await isRefused(client.nats, subject))) answered.push(subject)
      for (const kind of runKinds)
        if (!(await isSubscriptionRefused(client.nats, `trellis.topics.workloads.runs.${kind}.*`))) answered.push(kind)
      expect(answered).toEqual([])
    })

    test('clients without a password of a role are refused', async () => {
      const attempts = [
        {},
        { user: 'search', pass: passwords.logs },
        { token: passwords.logs },
        { user: 'root', pass: '' },
      ]
      for (const credentials of attempts)
        await expect(connect({ servers: server.address, reconnect: false, ...credentials })).rejects.toThrow(
          /Authorization/,
        )
    })

    /** The subjects of everything that a worker could try against a stream. */
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

    const isSubscriptionRefused = async (client: NatsConnection, subject: string): Promise<boolean> => {
      const { promise: answer, resolve } = Promise.withResolvers<string>()
      client.subscribe(subject, { callback: (error) => resolve(error?.message ?? 'delivered') })
      await client.flush()
      return (await Promise.race([answer, sleep(2_000, 'accepted', { ref: false })])).includes('Permissions Violation')
    }

    test.each(workers)('a %s worker is refused every request about streams that are not its own', async (role) => {
      await using client = closing(await connect({ servers: server.address, user: role, pass: passwords[role] }))
      const names = (await streamNames()).map(({ name }) => name)
      const own = ownStreams[role]
      const foreignStreams = names.filter((name) => !own.test(name) && name !== filesStream)
      expect(foreignStreams.length).toBeGreaterThanOrEqual(8)
      const refused = foreignStreams.flatMap((name) => {
        const [prefix = '', kind = '', ...rest] = name.split('~')
        return requestsAt(name, `${prefix}.${kind}.${rest.join('.')}.a`)
      })
      const ofOwn = names
        .filter((name) => own.test(name) || name === filesStream)
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
        expect(await isSubscriptionRefused(client.nats, subject), subject).toBe(true)
      }
    })

    test.each(runKinds)('a %s worker cannot have an answer stored in a foreign stream', async (kind) => {
      await using client = closing(await connect({ servers: server.address, user: kind, pass: passwords[kind] }))
      const other = otherKind[kind]
      const isOwn = (name: string) => name === `trellis~topics~workloads~runs~${kind}`
      const held = (streams: Awaited<ReturnType<typeof streamNames>>) =>
        streams.flatMap(({ name, state }) => (isOwn(name) ? [] : [`${name} ${state.messages}`])).toSorted()
      const own = `trellis.topics.workloads.runs.${kind}.forged`
      await client.nats.request(own, '{}')
      const requests = [
        [own, '{}'],
        [`$JS.API.DIRECT.GET.trellis~topics~workloads~runs~${kind}`, JSON.stringify({ last_by_subj: own })],
        ...(kind === 'generation' && filesInNats
          ? ['STREAM.INFO', 'STREAM.MSG.GET', 'DIRECT.GET', 'STREAM.PURGE'].flatMap((call) =>
              ['$JS.API', 'trellis.js'].map((api) => [
                `${api}.${call}.${filesStream}`,
                JSON.stringify(
                  call === 'STREAM.PURGE'
                    ? { filter: 'trellis.files.trellis-files.intent.forged' }
                    : { last_by_subj: 'trellis.files.trellis-files.key.logs.segment' },
                ),
              ]),
            )
          : []),
      ] as const
      const before = await streamNames()
      const replies = [
        ...foreign.flatMap(({ topic, jobs }) => [
          `trellis.topics.${topic('a').name}`,
          `trellis.queues.${jobs.name}.job.forged`,
        ]),
        `trellis.topics.workloads.runs.${other}.forged`,
        `trellis.topics.workloads.inputs.${other}.forged`,
        ...runKinds.map((one) => `trellis.topics.workloads.assignments.${one}.forged`),
        `trellis.queues.workloads.worker-notices.${other}.job.forged`,
        'trellis.queues.workloads.notices.job.forged',
        'trellis.files.trellis-files.key.logs.forged',
        '$JS.API.STREAM.PURGE.trellis~topics~logs~tasks',
        `$JS.API.STREAM.PURGE.${filesStream}`,
      ]
      for (const reply of replies)
        for (const [subject = '', body] of requests) client.nats.publish(subject, body, { reply })
      await client.nats.request(own, '{}')
      expect(held(await streamNames())).toEqual(held(before))
    })

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

    test('a store written before accounts were introduced is still readable', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'trellis-nats-accounts-'))
      try {
        const note = declareTopic('logs.tasks')('older')
        {
          await using older = await startNatsServer({ command: natsCommand, directory })
          await using bus = await connectNatsBus({ servers: [older.address], name: 'older', log: silentLog })
          await bus.publish(note, 7)
        }
        {
          await using newer = await startNatsServer({ command: natsCommand, directory, passwords })
          const credentials = { user: 'logs', password: passwords.logs }
          await using bus = await connectNatsBus({
            servers: [newer.address],
            name: 'newer',
            credentials,
            log: silentLog,
          })
          const [delivery] = await take(bus.subscribe(note, { after: 'start', signal: ended.signal }), 1)
          expect(delivery).toMatchObject({ event: 7 })
        }
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    })
  },
)

const closing = (nats: NatsConnection) => ({ nats, [Symbol.asyncDispose]: () => nats.close() })
