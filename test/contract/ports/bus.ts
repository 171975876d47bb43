import { type Bus, type Delivery, jsonCodec, queue, shared, type Topic, topics } from '@trellis/kit/bus'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { take } from '../../support/collect.ts'
import { waitFor } from '../../support/wait-for.ts'

type Note = { number: number; about?: string }

let unique = 0

/** Unique topics, shared values and queues for each test, so that the suite can run against one shared server. */
const declare = () => {
  unique += 1
  const name = `suite${process.pid}x${unique}`
  return {
    notes: topics({ family: `${name}.notes`, ...jsonCodec<Note>(), keep: { events: 100, milliseconds: 60_000 } }),
    states: topics({
      family: `${name}.states`,
      ...jsonCodec<Note>(),
      keep: { events: 1_000, milliseconds: 60_000 },
      coalesceBy: (note) => note.about,
    }),
    counts: shared({ name: `${name}.counts`, ...jsonCodec<{ count: number }>() }),
    jobs: queue({
      name: `${name}-jobs`,
      ...jsonCodec<Note>(),
      acknowledgeWithinMilliseconds: 200,
      maxDeliveries: 3,
      backOffMilliseconds: [10, 20],
      maxWaiting: 50,
    }),
  }
}

const numbers = (deliveries: Delivery<Note>[]) =>
  deliveries.map((delivery) => (delivery.kind === 'event' ? delivery.event.number : 'gap'))

/** The contract of every bus. `open` returns a new bus, or a new connection to a shared one (`isShared`). */
export const busContract = (name: string, open: () => Promise<Bus>, { isShared = false } = {}): void => {
  describe(`the bus ${name}`, () => {
    let bus: Bus
    let stop: AbortController
    beforeEach(async () => {
      bus = await open()
      stop = new AbortController()
    })
    afterEach(async () => {
      stop.abort()
      await bus[Symbol.asyncDispose]()
    })

    /** Resolves when a separate reader has received a note. With a remote server, a stored event may not have arrived here yet. */
    const reads = async (topic: Topic<Note>, number: number) => {
      for await (const delivery of bus.subscribe(topic, { signal: stop.signal })) {
        if (delivery.kind === 'event' && delivery.event.number === number) return
      }
    }

    test('each subscriber gets the events published after its subscription, in order', async () => {
      const { notes } = declare()
      const readers = [1, 2, 3].map(() => take(bus.subscribe(notes('a'), { signal: stop.signal }), 50))
      for (let number = 0; number < 50; number += 1) await bus.publish(notes('a'), { number })
      for (const read of await Promise.all(readers))
        expect(numbers(read)).toEqual(Array.from({ length: 50 }, (_, index) => index))
    })

    test('a subscription misses nothing between its call and the first read', async () => {
      const { notes } = declare()
      const subscription = bus.subscribe(notes('a'), { signal: stop.signal })
      await bus.publish(notes('a'), { number: 1 })
      expect(numbers(await take(subscription, 1))).toEqual([1])
    })

    test('the last sequence of a topic is that of its newest event, independent of other topics', async () => {
      const { notes } = declare()
      await bus.publish(notes('b'), { number: 0 })
      const none = await bus.lastSequence(notes('a'))
      const first = await bus.publish(notes('a'), { number: 1 })
      expect(none).toBeLessThan(first)
      expect(await bus.lastSequence(notes('a'))).toBe(first)
      const second = await bus.publish(notes('a'), { number: 2 })
      await bus.publish(notes('b'), { number: 3 })
      expect(await bus.lastSequence(notes('a'))).toBe(second)
    })

    test('topics of one family are separate', async () => {
      const { notes } = declare()
      const reading = take(bus.subscribe(notes('a'), { signal: stop.signal }), 1)
      await bus.publish(notes('b'), { number: 1 })
      await bus.publish(notes('a'), { number: 2 })
      expect(numbers(await reading)).toEqual([2])
    })

    test('sequences increase, and a reader resumes after any of them without loss or repetition', async () => {
      const { notes } = declare()
      const sequences: number[] = []
      for (let number = 0; number < 10; number += 1) sequences.push(await bus.publish(notes('a'), { number }))
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
      const all = await take(bus.subscribe(notes('a'), { after: 'start', signal: stop.signal }), 10)
      expect(numbers(all)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(all.map((delivery) => (delivery.kind === 'event' ? delivery.sequence : 0))).toEqual(sequences)
      const rest = await take(bus.subscribe(notes('a'), { after: sequences[6] ?? 0, signal: stop.signal }), 3)
      expect(numbers(rest)).toEqual([7, 8, 9])
    })

    test('a reader gets a gap if its sequence is no longer retained, then the retained events', async () => {
      const { notes } = declare()
      const first = await bus.publish(notes('a'), { number: 0 })
      for (let number = 1; number <= 150; number += 1) await bus.publish(notes('a'), { number })
      const [gap, next] = await take(bus.subscribe(notes('a'), { after: first, signal: stop.signal }), 2)
      expect(gap?.kind).toBe('gap')
      expect(next?.kind === 'event' && next.event.number).toBe(51)
    })

    test('an overtaken reader gets a gap with the number of missed events', async () => {
      const { notes } = declare()
      const reading = bus.subscribe(notes('a'), { signal: stop.signal })[Symbol.asyncIterator]()
      const witness = reads(notes('a'), 130)
      await bus.publish(notes('a'), { number: 0 })
      expect(numbers([(await reading.next()).value])).toEqual([0])
      for (let number = 1; number <= 130; number += 1) await bus.publish(notes('a'), { number })
      await witness
      expect((await reading.next()).value).toEqual({ kind: 'gap', missed: 30 })
      expect(numbers([(await reading.next()).value])).toEqual([31])
    })

    test('superseded events are coalesced for a lagging reader, which gets the latest of each', async () => {
      const { states } = declare()
      const reading = bus.subscribe(states('a'), { signal: stop.signal })
      for (let number = 0; number < 500; number += 1) {
        await bus.publish(states('a'), { number, about: number % 2 === 0 ? 'even' : 'odd' })
      }
      const witness = reads(states('a'), -1)
      await bus.publish(states('a'), { number: -1 })
      await witness
      const seen: number[] = []
      for await (const delivery of reading) {
        if (delivery.kind !== 'event') continue
        if (delivery.event.number < 0) break
        seen.push(delivery.event.number)
      }
      expect(seen.slice(-2)).toEqual([498, 499])
      expect(seen.length).toBeLessThan(100)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    })

    test('a later change of a published object is not visible to readers', async () => {
      const { notes } = declare()
      const note = { number: 1 }
      const reading = take(bus.subscribe(notes('a'), { signal: stop.signal }), 1)
      await bus.publish(notes('a'), note)
      note.number = 2
      expect(numbers(await reading)).toEqual([1])
    })

    test('a subscription ends with its signal, even while it waits', async () => {
      const { notes } = declare()
      const ending = new AbortController()
      const reading = take(bus.subscribe(notes('a'), { signal: ending.signal }), 1)
      ending.abort()
      expect(await reading).toEqual([])
    })

    test('1,000 readers of one topic each get every event once and in order', async () => {
      const { states } = declare()
      const plain = { ...states('a'), coalesceBy: () => undefined }
      const readers = Array.from({ length: 1_000 }, () => take(bus.subscribe(plain, { signal: stop.signal }), 200))
      for (let number = 0; number < 200; number += 1) await bus.publish(plain, { number })
      const expected = Array.from({ length: 200 }, (_, index) => index)
      for (const read of await Promise.all(readers)) expect(numbers(read)).toEqual(expected)
    })

    test('a reader after a sequence that was never assigned still gets later events', async () => {
      const { notes } = declare()
      await bus.publish(notes('a'), { number: 1 })
      const reading = bus.subscribe(notes('a'), { after: Number.MAX_SAFE_INTEGER - 1, signal: stop.signal })
      const seen = (async () => {
        for await (const delivery of reading) if (delivery.kind === 'event') return delivery.event.number
      })()
      const publishing = (async () => {
        for (let number = 2; !stop.signal.aborted; number += 1) await bus.publish(notes('a'), { number })
      })()
      expect(await seen).toBeGreaterThan(1)
      stop.abort()
      await publishing
    })

    test('a late reader of a followed topic gets earlier events once and in order', async () => {
      const { notes } = declare()
      for (let number = 0; number < 20; number += 1) await bus.publish(notes('a'), { number })
      const witness = reads(notes('a'), 20)
      await bus.publish(notes('a'), { number: 20 })
      await witness
      const early = bus.subscribe(notes('a'), { after: 'start', signal: stop.signal })
      for (let number = 21; number < 40; number += 1) await bus.publish(notes('a'), { number })
      expect(numbers(await take(early, 40))).toEqual(Array.from({ length: 40 }, (_, index) => index))
    })

    test('each job is handled once by one of the workers', async () => {
      const { jobs } = declare()
      const done: number[] = []
      const working = [1, 2].map(() =>
        bus.work(jobs, async ({ value }) => void done.push(value.number), { concurrency: 3, signal: stop.signal }),
      )
      for (let number = 0; number < 40; number += 1) expect(await bus.enqueue(jobs, { number })).toBe(true)
      await waitFor(() => expect(done).toHaveLength(40))
      stop.abort()
      await Promise.all(working)
      expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index))
    })

    test('jobs wait for a worker', async () => {
      const { jobs } = declare()
      await bus.enqueue(jobs, { number: 7 })
      const done = Promise.withResolvers<number>()
      const working = bus.work(jobs, async ({ value }) => done.resolve(value.number), { signal: stop.signal })
      expect(await done.promise).toBe(7)
      stop.abort()
      await working
    })

    test('a failing job is redelivered, and finally goes to the dead letters with its reason', async () => {
      const { jobs } = declare()
      const deliveries: number[] = []
      const handle = async ({ delivery }: { delivery: number }) => {
        deliveries.push(delivery)
        throw new Error(`no. ${delivery}`)
      }
      const working = bus.work(jobs, handle, { signal: stop.signal })
      await bus.enqueue(jobs, { number: 1 })
      await waitFor(async () => expect(await bus.deadLetters(jobs)).toHaveLength(1))
      stop.abort()
      await working
      expect(deliveries).toEqual([1, 2, 3])
      expect(await bus.deadLetters(jobs)).toEqual([{ value: { number: 1 }, deliveries: 3, reason: 'no. 3' }])
    })

    test('a job that is not acknowledged in time is redelivered, and its first signal is aborted', async () => {
      const { jobs } = declare()
      const firstAborted = Promise.withResolvers<void>()
      const done = Promise.withResolvers<number>()
      const working = bus.work(
        jobs,
        async ({ delivery }, { signal }) => {
          if (delivery > 1) return done.resolve(delivery)
          signal.addEventListener('abort', () => firstAborted.resolve())
          await new Promise(() => undefined)
        },
        { concurrency: 2, signal: stop.signal },
      )
      await bus.enqueue(jobs, { number: 1 })
      await firstAborted.promise
      expect(await done.promise).toBe(2)
      stop.abort()
      await working
    })

    test('calling working() prevents the redelivery of a long job', async () => {
      const { jobs } = declare()
      const deliveries: number[] = []
      const done = Promise.withResolvers<void>()
      const working = bus.work(
        jobs,
        async ({ delivery }, { working: stillWorking }) => {
          deliveries.push(delivery)
          for (let turn = 0; turn < 6; turn += 1) {
            await new Promise((resolve) => setTimeout(resolve, 60))
            stillWorking()
          }
          done.resolve()
        },
        { concurrency: 2, signal: stop.signal },
      )
      await bus.enqueue(jobs, { number: 1 })
      await done.promise
      stop.abort()
      await working
      expect(deliveries).toEqual([1])
    })

    test('a job whose id is waiting is not added again, and its id is free once it is done', async () => {
      const { jobs } = declare()
      expect(await bus.enqueue(jobs, { number: 1 }, 'one')).toBe(true)
      expect(await bus.enqueue(jobs, { number: 2 }, 'one')).toBe(false)
      const done: number[] = []
      const working = bus.work(jobs, async ({ value }) => void done.push(value.number), { signal: stop.signal })
      await waitFor(async () => expect(await bus.enqueue(jobs, { number: 3 }, 'one')).toBe(true))
      await waitFor(() => expect(done).toEqual([1, 3]))
      stop.abort()
      await working
    })

    test('a full queue refuses jobs with Retry-After', async () => {
      const { jobs } = declare()
      for (let number = 0; number < 50; number += 1) await bus.enqueue(jobs, { number })
      await expect(bus.enqueue(jobs, { number: 50 })).rejects.toMatchObject({
        kind: 'unavailable',
        retryAfterSeconds: 5,
      })
    })

    test('a stopping worker requeues its unfinished job', async () => {
      const { jobs } = declare()
      const taken = Promise.withResolvers<void>()
      const first = new AbortController()
      const stopping = bus.work(
        jobs,
        (_job, { signal }) =>
          new Promise((_resolve, reject) => {
            taken.resolve()
            signal.addEventListener('abort', () => reject(new Error('stopping')))
          }),
        { signal: first.signal },
      )
      await bus.enqueue(jobs, { number: 1 })
      await taken.promise
      first.abort()
      await stopping
      const done = Promise.withResolvers<number>()
      const working = bus.work(jobs, async ({ delivery }) => done.resolve(delivery), { signal: stop.signal })
      expect(await done.promise).toBe(1)
      stop.abort()
      await working
    })

    /** Increments the count and returns it. */
    const increment = (value: { count: number } | undefined) => {
      const count = (value?.count ?? 0) + 1
      return { value: { count }, result: count }
    }

    test('a shared value has the result of its last update, separately for each key', async () => {
      const { counts } = declare()
      expect(await bus.update(counts, 'a key of any kind/*', increment)).toBe(1)
      expect(await bus.update(counts, 'a key of any kind/*', increment)).toBe(2)
      expect(await bus.update(counts, 'another', increment)).toBe(1)
    })

    test('concurrent updates on any connection are serialized', async () => {
      const { counts } = declare()
      const other = await open()
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? bus : other).update(counts, 'a', increment)),
      )
      await other[Symbol.asyncDispose]()
      const together = isShared ? [made] : [made.filter((_, i) => i % 2 === 0), made.filter((_, i) => i % 2 === 1)]
      for (const each of together) expect(each.toSorted((a, b) => a - b)).toEqual(each.map((_, index) => index + 1))
    })

    test('an update that throws changes nothing', async () => {
      const { counts } = declare()
      await bus.update(counts, 'a', increment)
      const failing = bus.update(counts, 'a', () => {
        throw new Error('It cannot be computed.')
      })
      await expect(failing).rejects.toThrow('cannot be computed')
      expect(await bus.update(counts, 'a', increment)).toBe(2)
    })
  })
}
