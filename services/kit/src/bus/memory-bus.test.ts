import { describe, expect, test } from 'vitest'
import { jsonCodec } from './codec.ts'
import { createMemoryBus } from './memory-bus.ts'
import { topics } from './topic.ts'

const notes = topics({ family: 'notes', ...jsonCodec<{ text: string }>(), keep: { events: 10, milliseconds: 60_000 } })

test('expired events of a topic without publishers are dropped by the sweep', async () => {
  let time = 1_000_000
  const bus = createMemoryBus({ now: () => time, sweepEveryMilliseconds: 1_000 })
  const first = await bus.publish(notes('a'), { text: 'old' })
  time += 120_000
  await bus.publish(notes('b'), { text: 'new' })
  const stop = new AbortController()
  const reading = bus.subscribe(notes('a'), { after: first - 1, signal: stop.signal })[Symbol.asyncIterator]()
  expect((await reading.next()).value).toEqual({ kind: 'gap', missed: null })
  stop.abort()
})

test('a reader that resumes with a sequence of an earlier process gets a gap', async () => {
  const earlier = createMemoryBus({ now: () => 1_000_000 })
  const last = await earlier.publish(notes('a'), { text: 'before the restart' })
  const later = createMemoryBus({ now: () => 1_060_000 })
  const stop = new AbortController()
  const reading = later.subscribe(notes('a'), { after: last, signal: stop.signal })[Symbol.asyncIterator]()
  expect((await reading.next()).value).toEqual({ kind: 'gap', missed: null })
  expect(await later.publish(notes('a'), { text: 'after' })).toBeGreaterThan(last)
  stop.abort()
})

describe('the limit of all retained events', () => {
  /** With its quotes and braces each event takes 100 bytes. */
  const event = { text: 'x'.repeat(89) }

  const retainedIn = async (bus: ReturnType<typeof createMemoryBus>, id: string) => {
    const stop = new AbortController()
    const reading = bus.subscribe(notes(id), { after: 'start', signal: stop.signal })
    const newest = await bus.lastSequence(notes(id))
    let count = 0
    for await (const delivery of reading) {
      if (delivery.kind !== 'event') continue
      count += 1
      if (delivery.sequence === newest) break
    }
    stop.abort()
    return count
  }

  test('drops the oldest of all topics, and a reader that resumes before it gets a gap', async () => {
    const bus = createMemoryBus({ maxBytes: 1_000 })
    const first = await bus.publish(notes('a'), event)
    for (let index = 0; index < 4; index += 1) await bus.publish(notes('a'), event)
    for (let index = 0; index < 8; index += 1) await bus.publish(notes('b'), event)
    expect([await retainedIn(bus, 'a'), await retainedIn(bus, 'b')]).toEqual([2, 8])
    const stop = new AbortController()
    const resumed = bus.subscribe(notes('a'), { after: first, signal: stop.signal })[Symbol.asyncIterator]()
    expect((await resumed.next()).value).toEqual({ kind: 'gap', missed: null })
    stop.abort()
  })

  test('holds over any number of topics', async () => {
    const bus = createMemoryBus({ maxBytes: 1_000 })
    for (let topic = 0; topic < 200; topic += 1) await bus.publish(notes(`t${topic}`), event)
    const counts = await Promise.all(Array.from({ length: 10 }, (_, index) => retainedIn(bus, `t${190 + index}`)))
    expect(counts).toEqual(Array.from({ length: 10 }, () => 1))
    const stop = new AbortController()
    const late = bus.subscribe(notes('t0'), { after: 'start', signal: stop.signal })[Symbol.asyncIterator]()
    await bus.publish(notes('t0'), { text: 'new' })
    expect((await late.next()).value).toMatchObject({ event: { text: 'new' } })
    stop.abort()
  })

  test('does not drop an event that alone is larger, and drops it for the next', async () => {
    const bus = createMemoryBus({ maxBytes: 50 })
    await bus.publish(notes('a'), event)
    expect(await retainedIn(bus, 'a')).toBe(1)
    await bus.publish(notes('a'), { text: 'small' })
    expect(await retainedIn(bus, 'a')).toBe(1)
  })

  test('counts no event that a topic has dropped by its own limits', async () => {
    let time = 1_000_000
    const bus = createMemoryBus({ now: () => time, sweepEveryMilliseconds: 1_000, maxBytes: 1_500 })
    // A topic retains ten of these.
    for (let index = 0; index < 5_000; index += 1) await bus.publish(notes('a'), event)
    for (let index = 0; index < 5; index += 1) await bus.publish(notes('b'), event)
    expect([await retainedIn(bus, 'a'), await retainedIn(bus, 'b')]).toEqual([10, 5])
    await bus.publish(notes('b'), event)
    expect([await retainedIn(bus, 'a'), await retainedIn(bus, 'b')]).toEqual([9, 6])
    time += 120_000
    for (const id of ['c', 'd']) for (let index = 0; index < 7; index += 1) await bus.publish(notes(id), event)
    expect([await retainedIn(bus, 'c'), await retainedIn(bus, 'd')]).toEqual([7, 7])
  })
})
