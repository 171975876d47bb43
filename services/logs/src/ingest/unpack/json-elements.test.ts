import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withElementsOnLines } from './json-elements.ts'

async function* inChunks(content: Buffer, size: number) {
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size)
}

const read = async (text: string, size = 5): Promise<string> => {
  const parts: Uint8Array[] = []
  for await (const part of withElementsOnLines(inChunks(Buffer.from(text), size))) parts.push(part)
  return Buffer.concat(parts).toString()
}

const entries = [
  { time: '2026-03-01T10:00:00Z', message: 'a "quoted" [bracket] {brace}, and a comma' },
  { time: '2026-03-01T10:00:01Z', message: 'a backslash \\', nested: { list: [1, [2, {}]], empty: [] } },
]
const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

describe('arrays of entries', () => {
  test.each([
    ['on one line', JSON.stringify(entries)],
    ['indented', JSON.stringify(entries, null, 2)],
    [
      'with Windows line ends and a byte order mark',
      `\ufeff${JSON.stringify(entries, null, '\t').replaceAll('\n', '\r\n')}\r\n`,
    ],
    ['with an entry on each line', `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`],
    ['in two arrays', `${JSON.stringify(entries.slice(0, 1))}\n${JSON.stringify(entries.slice(1))}`],
  ])('%s have a line for each entry', async (_, text) => {
    for (const size of [3, 4, 1_000]) expect(await read(text, size)).toBe(lines)
  })

  test('keep all digits of their numbers, and the order of their keys', async () => {
    expect(await read('[{"b": 1772359200123456789, "1": 0.10}]')).toBe('{"b":1772359200123456789,"1":0.10}\n')
  })

  test('that end too early have their beginning', async () => {
    expect(await read(JSON.stringify(entries).slice(0, -30))).toBe(`${lines.slice(0, -30)}\n`)
  })

  test.each([
    ['an array', JSON.stringify(entries).slice(0, -30), lines.slice(0, -30)],
    ['an export', `{"events":${JSON.stringify(entries).slice(0, -30)}`, lines.slice(0, -30)],
    ['a document that may become one', '{"nextToken": "f/1", "ev', '{"nextToken": "f/1", "ev'],
  ])('of %s whose sender leaves have what was received before that', async (_, text, received) => {
    async function* brokenOff() {
      yield* inChunks(Buffer.from(text), 7)
      throw new Error('The sender has left.')
    }
    const parts: Uint8Array[] = []
    const reading = async () => {
      for await (const part of withElementsOnLines(brokenOff())) parts.push(part)
    }
    await expect(reading()).rejects.toThrow('The sender has left.')
    expect(Buffer.concat(parts).toString()).toBe(received)
  })

  test('have what follows them unchanged', async () => {
    expect(await read(`${JSON.stringify(entries)}\n# 2 entries\n`)).toBe(`${lines}# 2 entries\n`)
  })

  test('of any objects have the same objects', async () => {
    const array = fc.array(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(
        array,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 2 }),
        async (objects, size, space) => {
          const written = await read(JSON.stringify(objects, null, space), size)
          expect(
            written
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line)),
          ).toEqual(JSON.parse(JSON.stringify(objects)))
        },
      ),
    )
  })
})

describe('exports of a service', () => {
  test.each([
    ['Records', { Records: entries }, ''],
    ['events', { events: entries, nextForwardToken: 'f/1' }, '{"events":[],"nextForwardToken":"f/1"}\n'],
    ['logEvents', { owner: '1', logEvents: entries }, '{"owner":"1","logEvents":[]}\n'],
    [
      'hits.hits',
      { took: 3, hits: { total: { value: 2 }, hits: entries } },
      '{"took":3,"hits":{"total":{"value":2},"hits":[]}}\n',
    ],
    ['items', { kind: 'List', items: entries }, '{"kind":"List","items":[]}\n'],
  ])('in %s have a line for each entry, and what is around them at the end', async (_, document, last) => {
    for (const space of [0, 2])
      for (const size of [1, 4, 1_000])
        expect(await read(JSON.stringify(document, null, space), size)).toBe(lines + last)
  })

  test('are read as they come when they are large', async () => {
    const many = Array.from({ length: 100_000 }, (_, number) => ({ number, text: 'x'.repeat(100) }))
    const written = await read(JSON.stringify({ events: many, next: 'token' }, null, 1), 128 * 1024)
    expect(written.split('\n').slice(-3)).toEqual([JSON.stringify(many.at(-1)), '{"events":[],"next":"token"}', ''])
    expect(written.split('\n').length).toBe(many.length + 2)
  })
})

describe('other content is unchanged', () => {
  test.each([
    ['objects on lines', lines],
    [
      'objects on lines that have a list of events',
      '{"level":"info","events":[{"a":1}]}\n{"level":"info","events":[{"a":2}]}\n',
    ],
    ['an object with a list of something else', JSON.stringify({ spans: entries }, null, 2)],
    ['an entry with a list of items', JSON.stringify({ items: entries, level: 'info', msg: 'two items' })],
    ['an empty array of events', '{ "events": [] }\n'],
    ['an array of numbers', '[1, 2,\n3]\n'],
    ['times in brackets', '[2026-03-01 10:00:00] started\n'],
    ['threads in brackets', '[{main}] started\n[{worker}] stopped\n'],
    ['white space', ' \n \n'],
    ['nothing', ''],
  ])('%s', async (_, text) => {
    for (const size of [1, 1_000]) expect(await read(text, size)).toBe(text)
  })

  test('a string that does not end, from there on', async () => {
    expect(await read('[{"a": "one\ntwo", {"b": 1}]\nthree\n')).toBe('{"a":"one\ntwo", {"b": 1}]\nthree\n')
  })
})
