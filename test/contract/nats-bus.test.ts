import { fork } from 'node:child_process'
import { once } from 'node:events'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats } from '@nats-io/transport-node'
import { type NatsServer, startNatsServer } from '@trellis/distributed/servers'
import { type Bus, connectNatsBus, type Delivery, type NatsBusOptions, type Topic } from '@trellis/kit/bus'
import { silentLog } from '@trellis/kit/telemetry'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { take } from '../support/collect.ts'
import { heldBytes } from '../support/held-bytes.ts'
import { modulePath } from '../support/module-path.ts'
import { startNatsCluster, streamOf } from '../support/nats.ts'
import { natsCommand, natsMissing } from '../support/programs.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Command, declarations, type Note } from './nats-bus-process.ts'
import { busContract } from './ports/bus.ts'

const numbers = (deliveries: Delivery<Note>[]) =>
  deliveries.map((delivery) => (delivery.kind === 'event' ? delivery.event.number : 'gap'))

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

let unique = 0
const declare = () => {
  unique += 1
  const name = `nats${unique}`
  return { name, ...declarations(name) }
}

/** Starts another process on the same server. */
const startProcess = async (address: string) => {
  const child = fork(await modulePath('test/contract/nats-bus-process.ts'), [address], { execArgv: [] })
  const answer = async () => {
    const [message] = await once(child, 'message')
    return (message as { result: unknown }).result
  }
  await answer()
  return {
    execute: (command: Command) => {
      const answered = answer()
      child.send(command)
      return answered
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
    async [Symbol.asyncDispose]() {
      await this.kill()
    },
  }
}

describe.skipIf(natsMissing !== undefined)(natsMissing ? `(skipped: ${natsMissing})` : 'with a real server', () => {
  let server: NatsServer
  let stop: AbortController
  const open: Bus[] = []
  const connect = async (options: Partial<NatsBusOptions> = {}) => {
    const bus = await connectNatsBus({ servers: [server.address], name: 'test', log: silentLog, ...options })
    open.push(bus)
    return bus
  }
  beforeAll(async () => {
    server = await startNatsServer({ command: natsCommand })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())
  beforeEach(() => {
    stop = new AbortController()
  })
  afterEach(async () => {
    stop.abort()
    for (const bus of open.splice(0)) await bus[Symbol.asyncDispose]()
  })

  busContract(
    'on NATS',
    () => connectNatsBus({ servers: [server.address], name: 'contract', prefix: 'contract', log: silentLog }),
    { isShared: true },
  )

  describe('in a cluster', () => {
    let cluster: NatsServer[]
    beforeAll(async () => {
      cluster = await startNatsCluster()
    })
    afterAll(() => Promise.all((cluster ?? []).map((member) => member[Symbol.asyncDispose]())))
    const join = () => {
      const servers = cluster.map(({ address }) => address)
      return connectNatsBus({ servers, name: 'contract', storage: { replicas: 3 }, log: silentLog })
    }
    busContract('on three servers of NATS', join, { isShared: true })
  })

  test('events published by one process are read by another', async () => {
    const { name, notes } = declare()
    const bus = await connect()
    const reading = take(bus.subscribe(notes('a'), { signal: stop.signal }), 50)
    await using other = await startProcess(server.address)
    await other.execute({ do: 'publish', name, count: 50 })
    expect(numbers(await reading)).toEqual(range(0, 50))
  })

  test('a subscription misses nothing from its call on, before it reaches the server', async () => {
    const { notes } = declare()
    const reader = await connect()
    const publisher = await connect()
    await publisher.publish(notes('a'), { number: -1 })
    for (let round = 0; round < 20; round += 1) {
      const topic = notes(`round${round}`)
      // Both are sent at once on different connections, so either may arrive first.
      const reading = reader.subscribe(topic, { signal: stop.signal })
      const publishing = publisher.publish(topic, { number: round })
      expect(numbers(await take(reading, 1))).toEqual([round])
      await publishing
    }
  })

  test('a job with an id is added once across processes', async () => {
    const { name, jobs } = declare()
    const bus = await connect()
    await using other = await startProcess(server.address)
    const ids = range(0, 100).map(String)
    const theirs = other.execute({ do: 'enqueue', name, ids }) as Promise<boolean[]>
    const ours = await Promise.all(ids.map((id) => bus.enqueue(jobs, { number: 0 }, id)))
    const both = (await theirs).map((added, index) => Number(added) + Number(ours[index]))
    expect(both).toEqual(ids.map(() => 1))
  })

  test('the job of a killed process is delivered to another', async () => {
    const { name, jobs } = declare()
    const bus = await connect()
    await using other = await startProcess(server.address)
    const taken = other.execute({ do: 'hang', name })
    await bus.enqueue(jobs, { number: 7 })
    expect(await taken).toBe(7)
    await other.kill()
    const done = Promise.withResolvers<[number, number]>()
    const handle = async ({ value, delivery }: { value: Note; delivery: number }) =>
      done.resolve([value.number, delivery])
    const working = bus.work(jobs, handle, { signal: stop.signal })
    expect(await done.promise).toEqual([7, 2])
    stop.abort()
    await working
  })

  test('idle handlers share requests for jobs, and a busy worker holds no job back', async () => {
    const { jobs } = declare()
    const count = 400
    const [bus, other] = [await connect(), await connect()]
    const observer = await connectNats({ servers: server.address })
    const requests: unknown[] = []
    observer.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', { callback: (_, message) => void requests.push(message.json()) })
    await observer.flush()
    const seen: number[] = []
    const busy = Promise.withResolvers<void>()
    const handle = async ({ value }: { value: Note }) => {
      seen.push(value.number)
      // One handler hangs: its job is not waited for by the others, and none waits behind it.
      if (value.number === 0) await busy.promise
    }
    const working = bus.work(jobs, handle, { signal: stop.signal, concurrency: 64 })
    await Promise.all(range(0, count).map((number) => other.enqueue(jobs, { number })))
    // On a busy machine some jobs are delivered again, because their acknowledgement was late.
    await waitFor(() => expect(new Set(seen)).toEqual(new Set(range(0, count))))
    await observer.flush()
    // One for each job and one for each handler, if each requested its own.
    expect(requests.length, JSON.stringify(requests)).toBeLessThan(count / 4)
    busy.resolve()
    stop.abort()
    await working
    await observer.close()
  })

  test('a job whose workers are killed each time ends in the dead letters', async () => {
    const { name, jobs } = declare()
    const once = { ...jobs, maxDeliveries: 1 }
    const bus = await connect()
    await using other = await startProcess(server.address)
    const taken = other.execute({ do: 'hang', name })
    await bus.enqueue(once, { number: 7 })
    await taken
    await other.kill()
    const handled: number[] = []
    const working = bus.work(once, async ({ value }) => void handled.push(value.number), { signal: stop.signal })
    await waitFor(async () => expect(await bus.deadLetters(once)).toHaveLength(1))
    const reason = 'Its workers ended without reporting a result.'
    expect(await bus.deadLetters(once)).toEqual([{ value: { number: 7 }, deliveries: 1, reason }])
    expect(handled).toEqual([])
    stop.abort()
    await working
  })

  test('1,000 readers of a topic share one consumer, which is removed after they have left', async () => {
    const { name, notes } = declare()
    const bus = await connect({ limits: { idleTopicMilliseconds: 50 } })
    const readers = range(0, 1_000).map(() => take(bus.subscribe(notes('a'), { signal: stop.signal }), 1))
    await bus.publish(notes('a'), { number: 1 })
    for (const read of await Promise.all(readers)) expect(numbers(read)).toEqual([1])
    const again = range(0, 1_000).map(() => take(bus.subscribe(notes('a'), { after: 'start', signal: stop.signal }), 3))
    await bus.publish(notes('a'), { number: 2 })
    await waitFor(async () => {
      expect(await streamOf(server, `trellis~topics~${name}~notes`)).toMatchObject({ consumer_count: 1 })
    })
    // They are still there, since each waits for a third one.
    await bus.publish(notes('a'), { number: 3 })
    for (const read of await Promise.all(again)) expect(numbers(read)).toEqual([1, 2, 3])
    await waitFor(async () =>
      expect(await streamOf(server, `trellis~topics~${name}~notes`)).toMatchObject({
        consumer_count: 0,
        messages: 3,
      }),
    )
    expect(numbers(await take(bus.subscribe(notes('a'), { after: 'start', signal: stop.signal }), 3))).toEqual([
      1, 2, 3,
    ])
  })

  /** The first event of each topic. The subscriptions last until the end of the test. */
  const firstOf = async (bus: Bus, topics: readonly Topic<Note>[]) => {
    const iterators = topics.map((topic) => bus.subscribe(topic, { signal: stop.signal })[Symbol.asyncIterator]())
    const results = await Promise.all(iterators.map((iterator) => iterator.next()))
    return numbers(results.flatMap(({ value }) => value ?? []))
  }

  test('one process reads more topics than a stream has consumers by default', async () => {
    const { notes } = declare()
    const bus = await connect()
    const topics = range(0, 1_010).map((number) => notes(`topic${number}`))
    const first = firstOf(bus, topics)
    for (const [number, topic] of topics.entries()) await bus.publish(topic, { number })
    expect(await first).toEqual(range(0, 1_010))
  })

  test('the limit of consumers of a stream from an earlier release is raised', async () => {
    const { name, notes } = declare()
    const nats = await connectNats({ servers: server.address })
    try {
      const { streams } = await jetstreamManager(nats)
      const stream = `trellis~topics~${name}~notes`
      await streams.add({ name: stream, subjects: [`trellis.topics.${name}.notes.*`], max_consumers: 1 })
      const bus = await connect()
      const topics = [notes('a'), notes('b')]
      const first = firstOf(bus, topics)
      for (const [number, topic] of topics.entries()) await bus.publish(topic, { number })
      expect(await first).toEqual([0, 1])
    } finally {
      await nats.close()
    }
  })

  test('an account with a lower limit of consumers is used within it', async () => {
    const { notes } = declare()
    const configuration = 'accounts { A { jetstream { max_consumers: 20 }, users: [{ user: a, password: a }] } }'
    await using limited = await startNatsServer({ command: natsCommand, configuration })
    await using bus = await connectNatsBus({
      servers: [limited.address],
      name: 'test',
      log: silentLog,
      credentials: { user: 'a', password: 'a' },
    })
    const reading = take(bus.subscribe(notes('a'), { signal: stop.signal }), 1)
    await bus.publish(notes('a'), { number: 1 })
    expect(numbers(await reading)).toEqual([1])
  })

  test('a gap concerns one topic, not its family', async () => {
    const { notes } = declare()
    const bus = await connect()
    const quiet = await bus.publish(notes('quiet'), { number: 0 })
    const loud = await bus.publish(notes('loud'), { number: 0 })
    for (let number = 1; number <= 150; number += 1) await bus.publish(notes('loud'), { number })
    await bus.publish(notes('quiet'), { number: 1 })
    const later = await connect()
    const read = (id: string, after: number) => take(later.subscribe(notes(id), { after, signal: stop.signal }), 1)
    expect(numbers(await read('quiet', quiet))).toEqual([1])
    // Also after a sequence of another topic.
    expect(numbers(await read('quiet', loud))).toEqual([1])
    expect(numbers(await read('loud', loud))).toEqual(['gap'])
  })

  test('readers at different sequences share the fetched events', async () => {
    const { notes } = declare()
    const publisher = await connect()
    const sequences: number[] = []
    for (const number of range(0, 60)) sequences.push(await publisher.publish(notes('a'), { number }))
    const bus = await connect()
    const starts = [40, 10, 55, 0, 30]
    const readings = starts.map((start) =>
      take(bus.subscribe(notes('a'), { after: sequences[start] ?? 0, signal: stop.signal }), 60 - start),
    )
    await publisher.publish(notes('a'), { number: 60 })
    for (const [index, read] of (await Promise.all(readings)).entries())
      expect(numbers(read)).toEqual(range((starts[index] ?? 0) + 1, 61))
  })

  test('a stalled reader costs no memory and gets a gap', async () => {
    const { name, notes } = declare()
    const bus = await connect()
    const slow = bus.subscribe(notes('a'), { signal: stop.signal })[Symbol.asyncIterator]()
    await bus.publish(notes('a'), { number: 0 })
    expect(numbers([(await slow.next()).value])).toEqual([0])
    const fast = (async () => {
      for await (const delivery of bus.subscribe(notes('a'), { signal: stop.signal }))
        if (delivery.kind === 'event' && delivery.event.number === 2_000) return
    })()
    const filler = 'x'.repeat(64_000)
    const before = heldBytes()
    for (const number of range(1, 2_001)) await bus.publish(notes('a'), { number, filler })
    await fast
    expect((await slow.next()).value).toEqual({ kind: 'gap', missed: 1_900 })
    expect(numbers([(await slow.next()).value])).toEqual([1_901])
    // 128 MB were published, of which 6.4 MB are retained, and some are on their way.
    expect(heldBytes() - before).toBeLessThan(40e6)
    expect(await streamOf(server, `trellis~topics~${name}~notes`)).toMatchObject({ messages: 100 })
  })

  test('an undecodable event is a gap, and later events are delivered', async () => {
    const { notes } = declare()
    const bus = await connect()
    const strict = {
      ...notes('a'),
      decode: (bytes: Uint8Array) => {
        const note = notes('a').decode(bytes)
        if (note.number === 2) throw new Error('This is not a note.')
        return note
      },
    }
    const reading = bus.subscribe(strict, { signal: stop.signal })
    for (const number of [1, 2, 3]) await bus.publish(notes('a'), { number })
    expect(numbers(await take(reading, 3))).toEqual([1, 'gap', 3])
    const older = await connect()
    await take(older.subscribe(strict, { after: 'start', signal: stop.signal }), 1)
    expect(numbers(await take(older.subscribe(strict, { after: 'start', signal: stop.signal }), 3))).toEqual([
      1,
      'gap',
      3,
    ])
  })

  test('retention follows a changed declaration', async () => {
    const { notes } = declare()
    const bus = await connect()
    for (const number of range(0, 20)) await bus.publish(notes('a'), { number })
    const later = await connect()
    const fewer = { ...notes('a'), keep: { events: 5, milliseconds: 600_000 } }
    expect(numbers(await take(later.subscribe(fewer, { after: 'start', signal: stop.signal }), 5))).toEqual(
      range(15, 20),
    )
  })
})
