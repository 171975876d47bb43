import { describe, expect, test } from 'vitest'
import { decodeBatch, severityMask } from '../entries/entry-batch.ts'
import { sequenceOf } from '../entries/entry-order.ts'
import { severityOfCode } from '../entries/severity-code.ts'
import { maxTextBytes } from '../formats/clean.ts'
import { readPushed } from './read-pushed.ts'

const read = (entries: readonly object[]) => {
  const batches: ReturnType<typeof decodeBatch>[] = []
  const body = Buffer.from(JSON.stringify({ source_id: 'attic', entries }))
  const rejected = readPushed(body, { arrived: 1_700_000_000_000 }, (batch) => batches.push(decodeBatch(batch)))
  const texts = batches.flatMap(({ text, textEnds }) => {
    const bytes = Buffer.from(text)
    return [...textEnds].map((end, at) => bytes.toString('utf8', at === 0 ? 0 : textEnds[at - 1], end))
  })
  const sequences = batches.flatMap((batch) => [...batch.sequences].map(sequenceOf))
  const truncated = batches.flatMap(({ flags }) => [...flags].map((flag) => (flag & 8) !== 0))
  const times = batches.flatMap((batch) => [...batch.times])
  const repeats = batches.flatMap((batch) => [...batch.repeats])
  const formats = batches.flatMap(({ origins, originOf }) => [...originOf].map((place) => origins[place]?.format))
  return { rejected, texts, sequences, times, repeats, truncated, formats, counts: batches.map(({ count }) => count) }
}

test('equal entries without sequence numbers are numbered in order; sent numbers are used', () => {
  expect(read([{ text: 'tick' }, { text: 'tock' }, { text: 'tick' }]).sequences).toEqual([1, 1, 2])
  expect(read([{ text: 'tick', sequence: 7 }, { text: 'tick' }]).sequences).toEqual([7, 2])
  expect(
    read([
      { text: 'tick', sequence: 7 },
      { text: 'tick', sequence: 8 },
    ]).sequences,
  ).toEqual([7, 8])
})

test.each([1_714_558_830, 1_714_558_830_250, 1_714_558_830.25])(
  'a time sent as the number %d is read like the same text',
  (timestamp_iso) => {
    const [number] = read([{ text: 'x', timestamp_iso }]).times
    expect(read([{ text: 'x', timestamp_iso: String(timestamp_iso) }]).times).toEqual([number])
    expect(number).toBeGreaterThan(Date.UTC(2024, 4, 1))
  },
)

test('a body may begin with a byte order mark', () => {
  const texts: number[] = []
  for (const body of ['{"entries": [{"source_id": "a", "text": "x"}]}', '{"source_id": "a", "text": "x"}\n'])
    readPushed(Buffer.from(`\ufeff${body}`), { arrived: 0 }, (batch) => texts.push(decodeBatch(batch).count))
  expect(texts).toEqual([1, 1])
})

test('an entry has the format of its text, whatever the entries of other programs before it have', () => {
  const others = Array.from({ length: 20 }, (_, index) => ({ text: `2026-03-01 09:15:02 INFO up ${index}` }))
  const text = '2026-03-01 09:15:02.300 ERROR (MainThread) [homeassistant.components.mqtt] Error while processing'
  expect(read([...others, { text }]).formats.at(-1)).toBe('home-assistant')
})

test('colours and carriage returns are removed from each line, and an unpaired surrogate is replaced', () => {
  const { texts } = read([{ text: '\u001b[31mred\u001b[0m\r\n\tat work\r' }, { text: 'half \ud800 a pair' }])
  expect(texts).toEqual(['red\n\tat work', 'half \ufffd a pair'])
})

test('a text that is too long is truncated between characters and marked; one of the maximum length is not', () => {
  const { texts, truncated } = read([{ text: 'ü'.repeat(maxTextBytes) }, { text: `${'ü'.repeat(maxTextBytes / 2)}` }])
  expect(texts.map((text) => Buffer.byteLength(text))).toEqual([maxTextBytes, maxTextBytes])
  expect(texts[0]).not.toContain('\ufffd')
  expect(truncated).toEqual([true, false])
})

test.each(['{}', '{"source_id": "attic"}', '{"message": "x"}'])(
  'the body %s, which has no entries, is rejected',
  (body) => {
    expect(() => readPushed(Buffer.from(body), { arrived: 0 }, () => undefined)).toThrow('entries is missing')
  },
)

test.each(['null', 'true', 'false', '3', '-1.5e3', '"a text"', ' null\n'])(
  'the body %j, a JSON value that is neither an object nor a list, is rejected',
  (body) => {
    expect(() => readPushed(Buffer.from(body), { arrived: 0, sourceId: 'attic' }, () => undefined)).toThrow(
      'The body must be {"source_id": ..., "entries": [...]}, a list of entries or one JSON object per line',
    )
  },
)

test('an invalid entry is reported by its index, and the others are read in batches of limited size', () => {
  const entries = Array.from({ length: 5_000 }, (_, number) =>
    number === 3 ? { text: ' ' } : { text: `line ${number}` },
  )
  const { rejected, counts } = read(entries)
  expect(rejected).toEqual([{ index: 3, reason: 'text is missing.' }])
  expect(counts).toEqual([4_096, 903])
})

test.each([
  [5, 'a number'],
  [true, 'a boolean'],
  [['x'], 'a list'],
  [{ line: 'x' }, 'an object'],
])('an entry whose text is %j is rejected because it must be a text', (text, kind) => {
  expect(read([{ text }, { text: 'good' }])).toMatchObject({
    rejected: [{ index: 0, reason: `text must be a text, but is ${kind}.` }],
    texts: ['good'],
  })
})

test.each([{}, { text: null }, { text: '' }])('an entry %j is rejected because its text is missing', (entry) => {
  expect(read([entry]).rejected).toEqual([{ index: 0, reason: 'text is missing.' }])
})

test.each(['[]', '{"entries": []}'])('a body %s without entries is an empty batch', (body) => {
  expect(readPushed(Buffer.from(body), { arrived: 0 }, () => undefined)).toEqual([])
})

describe('ids that can neither be stored in a database nor used in a URL', () => {
  const unusable = ['a\u0000b', 'sur\ud800', 'two\nlines', 'del\u007f', '   ', 'x'.repeat(254), 7]

  test.each(unusable)('an entry of source %j is rejected with a sentence, and the others are read', (source_id) => {
    const { rejected, texts } = read([{ text: 'bad', source_id }, { text: 'good' }])
    expect(rejected).toEqual([{ index: 0, reason: expect.stringMatching(/^source_id must be text of at most 253/) }])
    expect(texts).toEqual(['good'])
  })

  test('an entry whose fields are not an object is rejected with a sentence', () => {
    const { rejected, texts } = read([
      { text: 'bad', fields: [1] },
      { text: 'good', fields: null },
    ])
    expect([rejected, texts]).toEqual([[{ index: 0, reason: 'fields must be an object.' }], ['good']])
  })

  test.each(unusable)('an entry whose entry_id is %j is rejected with a sentence', (entry_id) => {
    expect(read([{ text: 'bad', entry_id }]).rejected).toEqual([
      { index: 0, reason: expect.stringMatching(/^entry_id must be text of at most 128/) },
    ])
  })

  test.each(['a\u0000b', 'sur\ud800', 'two\nlines', '   ', 5, []])(
    'a body for source %j is rejected as a whole',
    (source_id) => {
      const body = Buffer.from(JSON.stringify({ source_id, entries: [{ text: 'zz' }] }))
      const refused = expect.objectContaining({
        kind: 'invalid',
        detail: [expect.objectContaining({ loc: ['body', 'source_id'] })],
      })
      expect(() => readPushed(body, { arrived: 0 }, () => undefined)).toThrow(refused)
      if (typeof source_id !== 'string') return
      const lines = Buffer.from('{"text":"zz"}')
      expect(() => readPushed(lines, { arrived: 0, sourceId: source_id }, () => undefined)).toThrow(refused)
    },
  )

  test('an entry whose fields are nested too deeply is rejected with a sentence', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
    const { rejected, texts } = read([
      { text: 'deep', fields: nested(64) },
      { text: 'deeper', fields: nested(65) },
      { text: 'a list', fields: { a: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) } },
    ])
    expect(texts).toEqual(['deep'])
    const reason = 'fields must have at most 64 levels of lists and objects.'
    expect(rejected).toEqual([
      { index: 1, reason },
      { index: 2, reason },
    ])
  })

  test('letters and symbols of any language are accepted', () => {
    expect(read([{ text: 'good', source_id: 'küche 🏠:日誌', entry_id: 'é/1' }]).rejected).toEqual([])
  })
})

test.each([
  ['ERROR', 'ERROR'],
  ['error', 'ERROR'],
  ['warning', 'WARN'],
  ['FATAL', 'CRITICAL'],
  ['crit', 'CRITICAL'],
  ['info', null],
  ['Debug', null],
  ['notice', null],
])('a severity is accepted in the words and cases that programs write: %s', (severity, expected) => {
  const batches: ReturnType<typeof decodeBatch>[] = []
  const body = Buffer.from(JSON.stringify({ source_id: 'attic', entries: [{ text: 'it came', severity }] }))
  expect(readPushed(body, { arrived: 0 }, (batch) => batches.push(decodeBatch(batch)))).toEqual([])
  expect(batches.map(({ flags: [flags = 0] }) => severityOfCode(flags & severityMask))).toEqual([expected])
})

test.each(['LOUD', '', 3, {}])('an unknown severity is rejected: %j', (severity) => {
  expect(read([{ text: 'x', severity }]).rejected).toEqual([{ index: 0, reason: expect.stringContaining('severity') }])
})

test('the repeat count that a line of syslog states is stored, unless the sender states another', () => {
  const line = 'Mar  1 10:00:00 attic last message repeated 5 times'
  const { repeats } = read([{ text: line }, { text: line, repeat_count: 2 }, { text: 'last message repeated 5 times' }])
  expect(repeats).toEqual([5, 2, 1])
})

test('the repeat count that a sender states is stored; an invalid count is rejected', () => {
  const { repeats, rejected } = read([
    { text: 'once' },
    { text: 'thrice', repeat_count: 3 },
    ...[0, 1.5, '2', 2 ** 32].map((count) => ({ text: 'never', repeat_count: count })),
  ])
  expect(repeats).toEqual([1, 3])
  expect(rejected.map(({ index }) => index)).toEqual([2, 3, 4, 5])
  expect(rejected[0]?.reason).toContain('repeat_count')
})
