import { expect, test } from 'vitest'
import { createRing, missing, type Reader } from './ring.ts'

const open = (events = 5, coalesceBy?: (event: string) => string | undefined) =>
  createRing<string>({ keep: { events, milliseconds: 1_000 }, coalesceBy, now: () => 0, trimmedThrough: 10 })

const drain = (reader: Reader<string>) => {
  const found: (string | number | null)[] = []
  for (let next = reader.next(); next; next = reader.next())
    found.push(next.kind === 'event' ? next.event : next.missed)
  return found
}

test('prepended events come before the present ones, and readers keep their cursors', () => {
  const ring = open()
  ring.push(11, 'c')
  const late = ring.reader('latest')
  const begun = ring.reader('start')
  ring.push(12, 'd')
  const older = [
    { sequence: 4, event: 'a', at: 0 },
    { sequence: 6, event: 'b', at: 0 },
  ]
  ring.prepend(older, 3)
  expect(drain(ring.reader('start'))).toEqual(['a', 'b', 'c', 'd'])
  expect(drain(ring.reader(4))).toEqual(['b', 'c', 'd'])
  expect(drain(ring.reader(3))).toEqual(['a', 'b', 'c', 'd'])
  expect(drain(ring.reader(2))).toEqual([null, 'a', 'b', 'c', 'd'])
  expect(drain(begun)).toEqual(['c', 'd'])
  expect(drain(late)).toEqual(['d'])
})

test('prepending is ignored once events have been dropped, and a reader behind them gets a gap', () => {
  const ring = open(2)
  for (const [index, event] of ['c', 'd', 'e'].entries()) ring.push(11 + index, event)
  ring.prepend([{ sequence: 4, event: 'a', at: 0 }], 3)
  expect(drain(ring.reader('start'))).toEqual(['d', 'e'])
  expect(drain(ring.reader(4))).toEqual([null, 'd', 'e'])
})

test('prepending drops the oldest events beyond the retention', () => {
  const ring = open(3)
  ring.push(11, 'c')
  const reader = ring.reader('start')
  const older = ['x', 'y', 'a', 'b'].map((event, index) => ({ sequence: index + 1, event, at: 0 }))
  ring.prepend(older, 0)
  expect(drain(ring.reader(0))).toEqual([null, 'a', 'b', 'c'])
  ring.push(12, 'd')
  expect(drain(reader)).toEqual(['c', 'd'])
})

test('a missing event is a gap for readers that reach it, but not for readers behind it', () => {
  const ring = open()
  ring.push(11, 'a')
  const reader = ring.reader('start')
  ring.push(20, missing)
  ring.push(30, 'b')
  expect(drain(reader)).toEqual(['a', null, 'b'])
  expect(drain(ring.reader(11))).toEqual([null, 'b'])
  expect(drain(ring.reader(20))).toEqual(['b'])
})

test('a reader skips events up to its `through`, and events published before its `before`', () => {
  const ring = open()
  const reader = ring.reader('latest', { through: 12, before: 50 })
  ring.push(11, 'had', { at: 100 })
  ring.push(12, 'had, too', { at: 100 })
  ring.push(13, 'before', { at: 49 })
  ring.push(14, 'after', { at: 50 })
  expect(drain(reader)).toEqual(['after'])
})

test('older events do not supersede newer ones of their key', () => {
  const ring = open(50, (event) => event[0])
  for (let index = 0; index < 20; index += 1) ring.push(11 + index, `k${index}`)
  ring.prepend([{ sequence: 1, event: 'k', at: 0 }], 0)
  expect(drain(ring.reader('start')).slice(-1)).toEqual(['k19'])
  expect(drain(ring.reader('start'))).not.toContain('k')
})

test('the oldest events beyond the maximum size are dropped, and the newest stays whatever its size', () => {
  const ring = createRing<string>({
    keep: { events: 100, milliseconds: 1_000 },
    coalesceBy: undefined,
    now: () => 0,
    trimmedThrough: 0,
    maxBytes: 6,
  })
  const follower = ring.reader('start')
  for (const [index, event] of ['aa', 'bb', 'cc', 'ddd'].entries()) ring.push(index + 1, event, { bytes: event.length })
  expect(drain(ring.reader('start'))).toEqual(['cc', 'ddd'])
  expect(drain(follower)).toEqual([2, 'cc', 'ddd'])
  ring.push(5, 'e'.repeat(10), { bytes: 10 })
  expect(drain(ring.reader('start'))).toEqual(['e'.repeat(10)])
})
