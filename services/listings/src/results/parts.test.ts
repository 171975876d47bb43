import { type Bus, createMemoryBus, topics } from '@trellis/kit/bus'
import { take } from '@trellis/test/support/collect'
import { expect, test } from 'vitest'
import { partCodec, publishWhole, wholes } from './parts.ts'

const topicOf = topics({ family: 'parts', ...partCodec, keep: { events: 100, milliseconds: 60_000 } })
const topic = topicOf('one')
const never = new AbortController().signal

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, index) => index % 251)

const read = (bus: Bus, count: number, after: number | 'start' = 'start') =>
  take(wholes(bus.subscribe(topic, { after, signal: never })), count)

test.each([0, 1, 262_144, 262_145, 3_000_000])('a message of %d bytes arrives unchanged', async (size) => {
  await using bus = createMemoryBus()
  await publishWhole(bus, topic, bytesOf(size))
  const [whole] = await read(bus, 1)
  expect(whole?.kind === 'message' && Buffer.compare(whole.bytes, bytesOf(size))).toBe(0)
})

test('no part exceeds the message limit of brokers', async () => {
  const sizes: number[] = []
  await using bus = createMemoryBus()
  const measuring = {
    ...topic,
    encode: (part: Parameters<typeof partCodec.encode>[0]) => {
      const encoded = partCodec.encode(part)
      sizes.push(encoded.length)
      return encoded
    },
  }
  await publishWhole(bus, measuring, bytesOf(3_000_000))
  expect(Math.max(...sizes)).toBeLessThan(512 * 1024)
})

test('a reader resumes after a message, and an incomplete message of a dead publisher is dropped', async () => {
  await using bus = createMemoryBus()
  await publishWhole(bus, topic, bytesOf(600_000))
  const [first] = await read(bus, 1)
  await bus.publish(topic, { kind: 'part', isFirst: true, isLast: false, bytes: bytesOf(10) })
  await bus.publish(topic, { kind: 'mark', id: 'here' })
  await publishWhole(bus, topic, bytesOf(5))
  const rest = await read(bus, 2, first?.kind === 'message' ? first.sequence : 'start')
  expect(rest.map((whole) => (whole.kind === 'message' ? whole.bytes.length : whole))).toEqual([
    { kind: 'mark', id: 'here' },
    5,
  ])
})

test('a message that began before the reader meets a gap is dropped', async () => {
  await using bus = createMemoryBus()
  const short = { ...topic, keep: { events: 2, milliseconds: 60_000 } }
  const deliveries = bus.subscribe(short, { after: 'start', signal: never })
  await publishWhole(bus, short, bytesOf(1_000_000))
  await publishWhole(bus, short, bytesOf(3))
  const seen = await take(wholes(deliveries), 2)
  expect(seen.map(({ kind }) => kind)).toEqual(['gap', 'message'])
  expect(seen[1]?.kind === 'message' && seen[1].bytes.length).toBe(3)
})
