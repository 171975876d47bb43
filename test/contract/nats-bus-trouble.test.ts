import { type NatsServer, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, type Delivery, type NatsBusOptions } from '@trellis/kit/bus'
import { isServiceError } from '@trellis/kit/errors'
import { createLog, silentLog } from '@trellis/kit/telemetry'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { canMakeCertificates, createAuthority } from '../support/certificates.ts'
import { take } from '../support/collect.ts'
import { startNatsCluster, streamOf } from '../support/nats.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { openSeverable } from '../support/severable.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { waitFor } from '../support/wait-for.ts'
import { declarations, type Note } from './nats-bus-process.ts'

const numbers = (deliveries: Delivery<Note>[]) =>
  deliveries.map((delivery) => (delivery.kind === 'event' ? delivery.event.number : 'gap'))

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

const { notes, jobs } = declarations('trouble')
const patient = { timeout: 120_000, interval: 20 }

describe.skipIf(natsMissing !== undefined)(natsMissing ? `(skipped: ${natsMissing})` : 'a failing NATS server', () => {
  let stop: AbortController
  let opened: AsyncDisposableStack
  beforeEach(() => {
    stop = new AbortController()
    opened = new AsyncDisposableStack()
  })
  afterEach(async () => {
    stop.abort()
    await opened.disposeAsync()
  })
  const startServer = async (configuration = '') =>
    opened.use(await startNatsServer({ command: natsCommand, configuration }))
  const connect = async (address: string, options: Partial<NatsBusOptions> = {}): Promise<Bus> =>
    opened.use(await connectNatsBus({ servers: [address], name: 'test', log: silentLog, ...options }))

  /** Kills the server `times` times under load, and restarts it each time after a call has failed. */
  const killAndStart = async (
    server: NatsServer,
    times: number,
    load: { stored: () => number; refused: () => number },
  ) => {
    for (let time = 0; time < times; time += 1) {
      const stored = load.stored()
      await waitFor(() => expect(load.stored()).toBeGreaterThan(stored + 200), patient)
      const refused = load.refused()
      await server.stop('SIGKILL')
      await waitFor(() => expect(load.refused()).toBeGreaterThan(refused), patient)
      await server.start()
    }
    const stored = load.stored()
    await waitFor(() => expect(load.stored()).toBeGreaterThan(stored + 200), patient)
  }

  /** Publishes to several topics and follows them on several connections until `compare` is called. */
  const keepLedger = (publisher: Bus, followers: Bus[]) => {
    const wide = (id: string) => ({ ...notes(id), keep: { events: 100_000, milliseconds: 600_000 } })
    const ids = ['a', 'b', 'c', 'd']
    const acknowledged = new Map<string, Map<number, number>>(ids.map((id) => [id, new Map()]))
    let refused = 0
    let loading = true
    const reads = followers.flatMap((bus) =>
      ids.map(async (id) => {
        const read: Delivery<Note>[] = []
        for await (const delivery of bus.subscribe(wide(id), { signal: stop.signal })) {
          if (delivery.kind === 'event' && delivery.event.number === -1) break
          read.push(delivery)
        }
        return { id, read }
      }),
    )
    const publishing = ids.map(async (id) => {
      for (let number = 0; loading; number += 1) {
        try {
          acknowledged.get(id)?.set(number, await publisher.publish(wide(id), { number }))
        } catch (error) {
          expect(isServiceError(error, 'unavailable')).toBe(true)
          refused += 1
        }
      }
      await waitFor(() => publisher.publish(wide(id), { number: -1 }), patient)
    })
    return {
      stored: () => [...acknowledged.values()].reduce((sum, { size }) => sum + size, 0),
      refused: () => refused,
      /** Stops, and checks that every follower got every acknowledged event under its sequence, in order, once and without gaps. */
      compare: async () => {
        loading = false
        await Promise.all(publishing)
        for (const { id, read } of await Promise.all(reads)) {
          const seen = numbers(read)
          expect(seen).not.toContain('gap')
          expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => Number(a) - Number(b)))
          const sequences = new Map(
            read.flatMap((each) => (each.kind === 'event' ? [[each.event.number, each.sequence]] : [])),
          )
          for (const [number, sequence] of acknowledged.get(id) ?? []) expect(sequences.get(number)).toBe(sequence)
        }
      },
    }
  }

  test('a server killed under load loses no acknowledged event and delivers none twice', async () => {
    const server = await startServer()
    const publisher = await connect(server.address, { limits: { publishWithinMilliseconds: 1_000 } })
    const other = await connect(server.address)
    const ledger = keepLedger(publisher, [publisher, other, other])
    await killAndStart(server, 3, ledger)
    await ledger.compare()
  })

  test('a cluster whose servers are killed one after the other under load loses no event', async () => {
    const cluster = await startNatsCluster()
    for (const server of cluster) opened.use(server)
    const options = { servers: cluster.map(({ address }) => address), storage: { replicas: 3 } }
    const publisher = await connect('', options)
    const other = await connect('', options)
    const ledger = keepLedger(publisher, [publisher, other])
    const more = async () => {
      const stored = ledger.stored()
      await waitFor(() => expect(ledger.stored()).toBeGreaterThan(stored + 200), patient)
    }
    for (const server of cluster) {
      await more()
      await server.stop('SIGKILL')
      await more()
      await server.start()
    }
    await more()
    await ledger.compare()
  })

  test('an operation that needs more servers than available is retried until its timeout', async () => {
    const cluster = await startNatsCluster()
    for (const server of cluster) opened.use(server)
    const reported: string[] = []
    const log = createLog({ level: 'debug', format: 'json', destination: { write: (text) => reported.push(text) } })
    const servers = cluster.map(({ address }) => address)
    const bus = await connect('', {
      servers,
      storage: { replicas: 5 },
      limits: { publishWithinMilliseconds: 2_000 },
      log,
    })
    await expect(bus.publish(notes('a'), { number: 1 })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(reported.filter((line) => /no suitable peers/.test(line)).length).toBeGreaterThan(1)
  })

  test('a server killed under load loses no acknowledged job, and workers continue', async () => {
    const server = await startServer()
    const enqueuer = await connect(server.address, { limits: { publishWithinMilliseconds: 1_000 } })
    const workers = await connect(server.address)
    const acknowledged = new Set<number>()
    const done = new Set<number>()
    let refused = 0
    let loading = true
    const working = workers.work(jobs, async ({ value }) => void done.add(value.number), {
      concurrency: 4,
      signal: stop.signal,
    })
    const enqueuing = (async () => {
      for (let number = 0; loading; number += 1) {
        try {
          expect(await enqueuer.enqueue(jobs, { number }, `job ${number}`)).toBe(true)
          acknowledged.add(number)
        } catch (error) {
          expect(isServiceError(error, 'unavailable')).toBe(true)
          refused += 1
        }
      }
    })()
    await killAndStart(server, 3, { stored: () => acknowledged.size, refused: () => refused })
    loading = false
    await enqueuing
    await waitFor(() => expect([...acknowledged].filter((number) => !done.has(number))).toEqual([]), patient)
    expect(await workers.deadLetters(jobs)).toEqual([])
    stop.abort()
    await working
  })

  test('publishes fail within their timeout while the server is down, and succeed once it is back', async () => {
    const server = await startServer()
    const bus = await connect(server.address, { limits: { publishWithinMilliseconds: 500 } })
    await bus.publish(notes('a'), { number: 0 })
    await server.stop('SIGKILL')
    const results = await Promise.allSettled([
      ...range(0, 50).map((number) => bus.publish(notes('a'), { number })),
      bus.enqueue(jobs, { number: 0 }),
    ])
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable', retryAfterSeconds: 5 } })
    const reading = bus.subscribe(notes('new'), { signal: stop.signal })
    await server.start()
    await waitFor(() => bus.publish(notes('new'), { number: 1 }), patient)
    expect(numbers(await take(reading, 1))).toEqual([1])
  })

  test('workers and readers stop in time while the server is down', async () => {
    const server = await startServer()
    const bus = await connect(server.address, { limits: { publishWithinMilliseconds: 500 } })
    const taken = Promise.withResolvers<void>()
    const handle = (_job: unknown, { signal }: { signal: AbortSignal }) => {
      taken.resolve()
      return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopping'))))
    }
    const working = bus.work(jobs, handle, { concurrency: 3, signal: stop.signal })
    const reading = take(bus.subscribe(notes('a'), { signal: stop.signal }), 1)
    await bus.enqueue(jobs, { number: 1 })
    await taken.promise
    await server.stop('SIGKILL')
    const began = performance.now()
    stop.abort()
    await Promise.all([working, reading])
    await bus[Symbol.asyncDispose]()
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test('the number of waiting publishes is bounded', async () => {
    const server = await startServer()
    const bus = await connect(server.address, { limits: { publishWithinMilliseconds: 500, publishesWaiting: 10 } })
    await server.stop('SIGKILL')
    const publishing = range(0, 10).map((number) => bus.publish(notes('a'), { number }))
    await expect(bus.publish(notes('a'), { number: 10 })).rejects.toMatchObject({ kind: 'unavailable' })
    await Promise.allSettled(publishing)
  })

  test('an event whose acknowledgement was lost is stored once', async () => {
    const server = await startServer()
    await using way = await openSeverable(server.address)
    const bus = await connect(way.address)
    const first = await bus.publish(notes('a'), { number: 0 })
    way.mute()
    const publishing = [1, 2, 3].map((number) => bus.publish(notes('a'), { number }))
    const direct = await connect(server.address)
    await take(direct.subscribe(notes('a'), { after: first, signal: stop.signal }), 1)
    way.cut()
    way.mend()
    const sequences = await Promise.all(publishing)
    await bus.publish(notes('a'), { number: 4 })
    const read = await take(direct.subscribe(notes('a'), { after: first, signal: stop.signal }), 4)
    expect(numbers(read)).toEqual([1, 2, 3, 4])
    expect(read.slice(0, 3).map((each) => each.kind === 'event' && each.sequence)).toEqual(sequences)
  })

  test('events that are not awaited stay in order, even if one must be retried', async () => {
    const server = await startServer()
    await using way = await openSeverable(server.address)
    const bus = await connect(way.address)
    const first = await bus.publish(notes('a'), { number: 0 })
    const lost = way.lost()
    way.deafen()
    const publishing = [bus.publish(notes('a'), { number: 1 })]
    await waitFor(() => expect(way.lost()).toBeGreaterThan(lost), patient)
    way.mend()
    publishing.push(bus.publish(notes('a'), { number: 2 }), bus.publish(notes('a'), { number: 3 }))
    await Promise.all(publishing)
    const read = await take(bus.subscribe(notes('a'), { after: first, signal: stop.signal }), 3)
    expect(numbers(read)).toEqual([1, 2, 3])
  })

  test('a job with an id whose acknowledgement was lost is reported as added', async () => {
    const server = await startServer()
    await using way = await openSeverable(server.address)
    const bus = await connect(way.address)
    await bus.enqueue(jobs, { number: 0 })
    const direct = await connect(server.address)
    way.mute()
    const enqueuing = bus.enqueue(jobs, { number: 1 }, 'one')
    await waitFor(async () => {
      expect(await streamOf(server, 'trellis~queues~trouble-jobs')).toMatchObject({ messages: 2 })
    }, patient)
    expect(await direct.enqueue(jobs, { number: 2 }, 'one')).toBe(false)
    way.cut()
    way.mend()
    expect(await enqueuing).toBe(true)
    expect(await bus.enqueue(jobs, { number: 3 }, 'one')).toBe(false)
  })

  test('a reader cut off for longer than the retention of the topic gets a gap and continues', async () => {
    const server = await startServer()
    await using way = await openSeverable(server.address)
    const reader = await connect(way.address)
    const publisher = await connect(server.address)
    const reading = reader.subscribe(notes('a'), { signal: stop.signal })[Symbol.asyncIterator]()
    const next = async () => numbers([(await reading.next()).value])[0]
    await publisher.publish(notes('a'), { number: 0 })
    expect(await next()).toBe(0)
    way.cut()
    for (const number of range(1, 151)) await publisher.publish(notes('a'), { number })
    way.mend()
    expect(await next()).toBe('gap')
    for (const number of range(51, 151)) expect(await next()).toBe(number)
  })

  test('a reader that is cut off briefly misses nothing', async () => {
    const server = await startServer()
    await using way = await openSeverable(server.address)
    const reader = await connect(way.address)
    const publisher = await connect(server.address)
    const reading = reader.subscribe(notes('a'), { signal: stop.signal })[Symbol.asyncIterator]()
    for (const round of range(0, 4)) {
      const sent = range(round * 60, round * 60 + 60)
      for (const number of sent) {
        await publisher.publish(notes('a'), { number })
        if (number % 60 === 20) way.cut()
      }
      way.mend()
      for (const number of sent) expect(numbers([(await reading.next()).value])).toEqual([number])
    }
  })

  test('readers get a gap and work continues after a server restarts without its data', async () => {
    const server = await startServer()
    const bus = await connect(server.address, { limits: { publishWithinMilliseconds: 2_000 } })
    const done: number[] = []
    const working = bus.work(jobs, async ({ value }) => void done.push(value.number), { signal: stop.signal })
    const reading = bus.subscribe(notes('a'), { signal: stop.signal })[Symbol.asyncIterator]()
    const next = async () => numbers([(await reading.next()).value])[0]
    const last = await bus.publish(notes('a'), { number: 0 })
    expect(await next()).toBe(0)
    await server.stop('SIGKILL')
    await server.clear()
    await server.start()
    expect(await next()).toBe('gap')
    const first = await waitFor(() => bus.publish(notes('a'), { number: 1 }), patient)
    expect(first).toBeGreaterThan(last)
    expect(await next()).toBe(1)
    expect(numbers(await take(bus.subscribe(notes('a'), { after: last, signal: stop.signal }), 2))).toEqual(['gap', 1])
    await waitFor(() => bus.enqueue(jobs, { number: 5 }), patient)
    await waitFor(() => expect(done).toContain(5), patient)
    stop.abort()
    await working
  })

  test('a changed queue declaration applies to its workers', async () => {
    const server = await startServer()
    const bus = await connect(server.address)
    const first = new AbortController()
    const before = bus.work(jobs, async () => undefined, { signal: first.signal })
    first.abort()
    await before
    const later = await connect(server.address)
    const done: number[] = []
    const slower = { ...jobs, acknowledgeWithinMilliseconds: 60_000 }
    const working = later.work(slower, async ({ value }) => void done.push(value.number), { signal: stop.signal })
    await later.enqueue(slower, { number: 1 })
    await waitFor(() => expect(done).toEqual([1]), patient)
    const report = JSON.stringify(await server.monitor('jsz?consumers=true&config=true'))
    expect(report).toContain('"ack_wait":76000000000')
    stop.abort()
    await working
  })

  test('a value that is too large for a message is refused with both sizes', async () => {
    const server = await startServer('max_payload: 65536')
    const bus = await connect(server.address)
    const filler = 'x'.repeat(70_000)
    const refusal = { kind: 'too_large', message: expect.stringMatching(/70\d{3} bytes.* at most 6\d{4}/) }
    await expect(bus.publish(notes('a'), { number: 1, filler })).rejects.toMatchObject(refusal)
    await expect(bus.enqueue(jobs, { number: 1, filler })).rejects.toMatchObject(refusal)
    await bus.publish(notes('a'), { number: 1, filler: 'x'.repeat(65_000) })
  })

  test('a job of the maximum size still fits into the dead letters with its reason', async () => {
    const server = await startServer('max_payload: 65536')
    const bus = await connect(server.address)
    const filler = 'x'.repeat(61_000)
    const once = { ...jobs, maxDeliveries: 1 }
    const handle = async () => {
      throw new Error('ü'.repeat(1_000))
    }
    const working = bus.work(once, handle, { signal: stop.signal })
    await bus.enqueue(once, { number: 1, filler })
    await waitFor(async () => expect(await bus.deadLetters(once)).toHaveLength(1), patient)
    expect(await bus.deadLetters(once)).toEqual([
      { value: { number: 1, filler }, deliveries: 1, reason: 'ü'.repeat(500) },
    ])
    stop.abort()
    await working
  })

  test('a server without space for a stream refuses, and the reason is logged', async () => {
    const server = await startServer()
    const reported: string[] = []
    const log = createLog({ level: 'debug', format: 'json', destination: { write: (text) => reported.push(text) } })
    const storage = { maxStreamBytes: 2 ** 52 }
    const bus = await connect(server.address, { storage, log, limits: { publishWithinMilliseconds: 300 } })
    await expect(bus.publish(notes('a'), { number: 1 })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(reported.join('')).toMatch(/insufficient storage resources/)
  })

  test('connecting to an account without JetStream fails', async () => {
    const server = await startServer('accounts { PLAIN { users: [{ user: plain, password: right }] } }')
    const credentials = { user: 'plain', password: 'right' }
    const limits = { connectWithinMilliseconds: 300 }
    await expect(connect(server.address, { credentials, limits })).rejects.toThrow(/no JetStream/)
  })

  test('connecting without a server fails with its address', async () => {
    const server = await startServer()
    await server.stop()
    await expect(connect(server.address, { limits: { connectWithinMilliseconds: 300 } })).rejects.toThrow(
      `No NATS server answered at ${server.address} within 0.3 s.`,
    )
  })

  test('credentials are required, and secrets never appear in logs or errors', async () => {
    const server = await startServer('authorization { user: trellis, password: "right secret" }')
    const reported: string[] = []
    const log = createLog({ level: 'debug', format: 'json', destination: { write: (text) => reported.push(text) } })
    const wrong = connect(server.address, { credentials: { user: 'trellis', password: 'a wrong secret' }, log })
    const error = await wrong.then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toMatch(/does not accept these credentials/)
    const bus = await connect(server.address, { credentials: { user: 'trellis', password: 'right secret' }, log })
    await bus.publish(notes('a'), { number: 1 })
    await server.stop('SIGKILL')
    await server.start()
    await waitFor(() => bus.publish(notes('a'), { number: 2 }), patient)
    expect(reported.join('')).toMatch(/connected to the message server again/)
    expect(reported.join('') + error?.message + error?.stack).not.toMatch(/secret/)
    await expect(connect(`nats://trellis:hunter2@${server.address}`)).rejects.toThrow(/pass those separately/)
    await expect(connect(`nats://trellis:hunter2@${server.address}`)).rejects.not.toThrow(/hunter2/)
  })

  test.skipIf(!canMakeCertificates())(
    `TLS connections verify the server${canMakeCertificates() ? '' : ' (skipped: openssl was not found)'}`,
    async () => {
      await using directory = await temporaryDirectory()
      const { authorityFile, issue } = createAuthority(directory.path)
      const { certificateFile, keyFile } = issue('localhost')
      const server = await startServer(`tls { cert_file: "${certificateFile}", key_file: "${keyFile}" }`)
      const bus = await connect(server.address, { tls: { caFile: authorityFile } })
      await bus.publish(notes('a'), { number: 1 })
      const limits = { connectWithinMilliseconds: 300 }
      await expect(connect(server.address, { tls: {}, limits })).rejects.toThrow()
    },
  )
})
