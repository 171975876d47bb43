import { EntryToRest } from '@trellis/protos/edge/rest.ts'
import { expect, test } from 'vitest'
import type { StoredEntry } from '../entries/entry.ts'
import { presentEntry } from '../entries/present.ts'
import { logFormats } from '../formats/library/mod.ts'
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
  positionOf: (index) => `r.1.${index + 1}`,
})
const textOf = (frame: ReturnType<typeof writeFollowed>) =>
  frame.event?.$case === 'written' ? Buffer.from(frame.event.value.text).toString() : undefined

test('each entry is an event with the position after it, in this store and in the others', () => {
  const frame = writeFollowed(followed([0, 1]), 'r.1.2~barn=q.3.1', () => false)
  const events = textOf(frame)?.trimEnd().split('\n\n') ?? []
  expect(events.map((event) => event.split('\n').slice(0, 2))).toEqual([
    ['id: r.1.1~barn=q.3.1', 'event: entry'],
    ['id: r.1.2~barn=q.3.1', 'event: entry'],
  ])
  expect(events.map((event) => JSON.parse(event.split('\ndata: ')[1] ?? '').text)).toEqual(['one', 'two\nlines'])
  expect(frame).toMatchObject({ eventId: 'r.1.2~barn=q.3.1', event: { value: { count: 2 } } })
})

test('entries of the history are not shown again, but the position of the reader advances', () => {
  expect(textOf(writeFollowed(followed([0, 2]), 'r.1.3', ({ text }) => text === 'one'))).not.toContain('"one"')
  expect(writeFollowed(followed([2]), 'r.1.3', () => true)).toEqual({ eventId: 'r.1.3', event: null })
})

test('a line end in a position that a client sent injects no line into the stream', () => {
  const frame = writeFollowed(followed([0]), 'r.1.1~barn=x\ndata: forged', () => false)
  expect(textOf(frame)).toMatch(/^id: r\.1\.1~barn=xdata: forged\nevent: entry\n/)
})

const ofFormat = (format: string, text: string): StoredEntry => ({
  ...entry(text),
  origin: { ...entry(text).origin, format },
})

test('an entry has the same JSON in a tail as in any other response, whatever overlays it has', () => {
  const line = 'Jun  4 15:16:01 attic sshd[7]: Failed password for root from 192.0.2.7 port 37033 ssh2'
  const score = { score: 0.75, label: 'brute_force', scoredAt: 1_700_000_000_000 }
  const entries: StoredEntry[] = [
    entry('plain'),
    entry('quotes " and \\ and\ttabs\nand ends of lines \u2028 and \ud800 halves of characters, 😀 and wholes'),
    { ...entry('sent'), sender: { fields: { host: 'attic', tries: [1, null], nested: { a: 'ü' } } } },
    { ...entry('sent'), entryId: 'of "theirs"', sender: { entryId: 'of "theirs"', timestampRaw: 'noon "sharp"' } },
    ofFormat('syslog-rfc3164', line),
    ofFormat('syslog-rfc3164', `${line}\n  and a second line of "it"`),
    ofFormat('syslog-rfc3164', 'Jun  4 15:16:01 attic web[7]: {"level":"error","path":"C:\\\\temp","n":1}'),
    ofFormat('logfmt', 'time=2024-06-04T10:00:00Z level=error msg="no \\"room\\" left" path=C:\\temp'),
    ofFormat('logfmt', 'time=2024-06-04T10:00:00Z level=error msg=full'),
    ofFormat('gone', line),
    ...logFormats.flatMap(({ name, samples }) => samples.map((sample) => ofFormat(name, sample.line))),
    { ...entry('placed'), time: null, templateId: 'c06efbe4ce14ff7c', severity: 'ERROR', repeatCount: 3 },
    { ...entry('late'), outOfOrder: true, truncated: true, matchedPatterns: ['auth_failure', 'a "b"'] },
    { ...entry('scored'), overlay: { anomaly: score, security: null } },
    { ...entry('scored'), overlay: { anomaly: null, security: { ...score, label: 'a "b"' } } },
    {
      ...entry('of a branch'),
      origin: { sourceId: 'a "b"', branch: 'b"1', tenantId: 't"1', format: 'plain', anonymized: true },
    },
  ]
  for (const one of entries) {
    const text = entryText(one)
    expect(text).not.toContain('\n')
    expect(JSON.parse(text)).toEqual(EntryToRest(presentEntry(one)))
  }
})

test('readers of all and of some entries, in any order, receive the same events', () => {
  const shown = (of: Followed['of'], indexes: number[]) =>
    textOf(writeFollowed({ ...followed(indexes), of }, `r.1.${(indexes.at(-1) ?? 0) + 1}`, () => false))
  const alone = ([0, 1, 2] as const).map((index) => shown([...followed([]).of], [index]) ?? '')
  const { of } = followed([])
  expect(shown(of, [2])).toBe(alone[2])
  expect(shown(of, [0, 2])).toBe(`${alone[0]}${alone[2]}`)
  expect(shown(of, [0, 1, 2])).toBe(alone.join(''))
  expect(shown(of, [0, 1])).toBe(`${alone[0]}${alone[1]}`)
})

test('the text of one reader does not change while events for others are appended', () => {
  const of = Array.from({ length: 200 }, (_, index) => entry(`${index} ${'ü'.repeat(index * 10)}`))
  const arrival = { of, positionOf: (index: number) => `r.1.${index + 1}` }
  const first = writeFollowed({ ...arrival, indexes: [0, 1] }, 'r.1.2', () => false)
  const before = textOf(first)
  const all = textOf(writeFollowed({ ...arrival, indexes: of.map((_, index) => index) }, 'r.1.200', () => false))
  expect(textOf(first)).toBe(before)
  const texts = all
    ?.trimEnd()
    .split('\n\n')
    .map((event) => JSON.parse(event.split('\ndata: ')[1] ?? '').text)
  expect(texts).toEqual(of.map(({ text }) => text))
})

test('entries that are followed in another run have the positions of that run', () => {
  const { of } = followed([])
  const inRun = (run: string) =>
    textOf(
      writeFollowed({ of, indexes: [1], positionOf: (index) => `${run}.1.${index + 1}` }, `${run}.1.2`, () => false),
    )
  expect([inRun('r'), inRun('s'), inRun('r')].map((text) => text?.split('\n')[0])).toEqual([
    'id: r.1.2',
    'id: s.1.2',
    'id: r.1.2',
  ])
})
