import { EntryToRest } from '@trellis/protos/edge/rest.ts'
import { expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { entryText } from './entry-text.ts'
import type { Followed } from './frames.ts'
import { writeFollowed } from './write-followed.ts'

const entry = (text: string): StoredEntry => ({
  entryId: `id of ${text}`,
  origin: { sourceId: 'host', branch: null, tenantId: null, format: 'plain' },
  sequence: 1,
  time: 0,
  effectiveTime: 0,
  ingestTime: 0,
  severity: null,
  repeatCount: 1,
  text,
  truncated: false,
  outOfOrder: false,
  matchedPatterns: [],
  templateId: null,
  sender: null,
})
const followed = (indexes: number[]): Followed => ({
  of: [entry('one'), entry('two\nlines'), entry('three')],
  indexes,
  placeOf: (index) => `r.1.${index + 1}`,
})
const textOf = (frame: ReturnType<typeof writeFollowed>) =>
  frame.event?.$case === 'written' ? Buffer.from(frame.event.value.text).toString() : undefined

test('each entry is an event with the place behind it, in this store and in the others', () => {
  const frame = writeFollowed(followed([0, 1]), 'r.1.2~barn=q.3.1', () => false)
  const events = textOf(frame)?.trimEnd().split('\n\n') ?? []
  expect(events.map((event) => event.split('\n').slice(0, 2))).toEqual([
    ['id: r.1.1~barn=q.3.1', 'event: entry'],
    ['id: r.1.2~barn=q.3.1', 'event: entry'],
  ])
  expect(events.map((event) => JSON.parse(event.split('\ndata: ')[1] ?? '').text)).toEqual(['one', 'two\nlines'])
  expect(frame).toMatchObject({ eventId: 'r.1.2~barn=q.3.1', event: { value: { count: 2 } } })
})

test('what was shown with the history is not shown again, and the reader is behind it all the same', () => {
  expect(textOf(writeFollowed(followed([0, 2]), 'r.1.3', ({ text }) => text === 'one'))).not.toContain('"one"')
  expect(writeFollowed(followed([2]), 'r.1.3', () => true)).toEqual({ eventId: 'r.1.3', event: null })
})

test('a line end in the place that a client came with begins no line of the stream', () => {
  const frame = writeFollowed(followed([0]), 'r.1.1~barn=x\ndata: forged', () => false)
  expect(textOf(frame)).toMatch(/^id: r\.1\.1~barn=xdata: forged\nevent: entry\n/)
})

test('an entry looks the same to a follower as in any other answer, its fields included', () => {
  const sent = { ...entry('sent'), sender: { fields: { host: 'attic', tries: [1, null], nested: { a: 'ü' } } } }
  const line = 'Jun  4 15:16:01 attic sshd[7]: Failed password for root from 192.0.2.7 port 37033 ssh2'
  const read = { ...entry(line), origin: { ...entry(line).origin, format: 'syslog-rfc3164' } }
  const entries = [entry('plain'), sent, read]
  for (const [index, one] of entries.entries())
    expect(JSON.parse(entryText(entries, index))).toEqual(EntryToRest(presentEntry(one)))
})
