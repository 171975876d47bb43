import { expect, test } from 'vitest'
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
