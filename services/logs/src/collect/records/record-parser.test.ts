import { describe, expect, test } from 'vitest'
import type { NewEntry } from '../../entries/batch-builder.ts'
import { severityCode, severityOfCode } from '../../entries/severity-code.ts'
import { maxTextBytes } from '../../formats/clean.ts'
import { utc } from '../../formats/zone.ts'
import type { CollectedRecord } from './record.ts'
import { createRecordParser, type RecordParserOptions } from './record-parser.ts'

const start = Date.parse('2026-03-01T09:15:02Z')
const record = (text: string, more: Partial<CollectedRecord> = {}): CollectedRecord => ({
  sourceId: 'docker:attic:app',
  stream: 'stdout',
  text,
  time: start,
  sequence: 1,
  severity: undefined,
  hint: undefined,
  fields: undefined,
  ...more,
})
const parse = (
  records: readonly CollectedRecord[],
  more: Pick<RecordParserOptions, 'format' | 'joins'> = {},
): NewEntry[] => {
  const entries: NewEntry[] = []
  const parser = createRecordParser({
    owner: { branch: null, tenantId: 'home' },
    time: { zone: utc, reference: start },
    onEntry: (entry) => entries.push(entry),
    ...more,
  })
  for (const each of records) parser.push(each)
  parser.close()
  return entries
}
const textsOf = (entries: readonly NewEntry[]) => entries.map(({ text }) => text)
const severityOf = (entry: NewEntry | undefined) => severityOfCode(entry?.severity ?? 0)

describe('records', () => {
  test('become entries with the time of the record, whatever time is in the text', () => {
    const [entry] = parse([record('2019-01-01T00:00:00Z INFO started', { fields: { pid: '7' } })])
    expect(entry).toMatchObject({
      time: start,
      sequence: 1,
      origin: { sourceId: 'docker:attic:app', tenantId: 'home' },
      sender: { fields: { pid: '7' } },
    })
  })

  test('that are lines of one trace are one entry, even with another stream in between', () => {
    const texts = textsOf(
      parse([
        record('Traceback (most recent call last):', { stream: 'stderr' }),
        record('request served'),
        record('  File "app.py", line 3, in main', { stream: 'stderr' }),
        record('ValueError: no', { stream: 'stderr' }),
        record('next', { stream: 'stderr' }),
      ]),
    )
    expect(texts.toSorted()).toEqual([
      'Traceback (most recent call last):\n  File "app.py", line 3, in main\nValueError: no',
      'next',
      'request served',
    ])
  })

  test.for([
    [
      '2026-03-01 09:15:02 INFO listening',
      'panic: no room',
      '',
      'goroutine 1 [running]:',
      'main.main()',
      '\t/app/main.go:12',
    ],
    [
      'listening',
      '/app/index.js:12',
      "    throw new Error('no')",
      '    ^',
      '',
      'Error: no',
      '    at open (/app/index.js:12:11)',
    ],
    [
      '2026-03-01 09:15:02 INFO listening',
      "thread 'main' panicked at src/main.rs:4:5:",
      'no room',
      'note: run with `RUST_BACKTRACE=1`',
    ],
  ])('of a crash are one entry, which is not that of the line before: %j', ([before = '', ...crash]) => {
    const lines = [before, ...crash]
    const entries = parse(lines.map((line, index) => record(line, { sequence: index + 1 })))
    expect(textsOf(entries)).toEqual([before, crash.join('\n')])
  })

  test('of a JSON object have its level, and the number of repetitions that a text names', () => {
    const [object, repeated] = parse([
      ...['{', '  "time": "2026-03-01T09:15:02Z",', '  "level": "warn",', '  "msg": "no error"', '}'].map((line) =>
        record(line),
      ),
      record('Mar  1 09:15:03 nas rsyslogd: message repeated 3 times: [ suspended ]', { sequence: 2 }),
    ])
    expect(object?.origin.format).toMatch(/^json-/)
    expect(severityOf(object)).toBe('WARN')
    expect(repeated?.repeatCount).toBe(3)
  })

  test('of several programs have the formats that they have by themselves', () => {
    const home = '2026-03-01 09:15:02.300 ERROR (MainThread) [homeassistant.components.mqtt] Error while processing'
    const others = Array.from({ length: 20 }, (_, index) => record(`2026-03-01 09:15:02 INFO up ${index}`))
    const ofHome = record(home, { sourceId: 'journald:attic:home', stream: 'home' })
    expect(parse([...others, ofHome]).at(-1)?.origin.format).toBe('home-assistant')
    expect(parse([ofHome]).at(-1)?.origin.format).toBe('home-assistant')
  })

  test('have the format and the rule for joining that are configured', () => {
    const lines = ['Traceback (most recent call last):', '  File "app.py", line 3', 'level=info msg=x n=1'].map(
      (line) => record(line),
    )
    expect(textsOf(parse(lines, { joins: 'never' }))).toHaveLength(3)
    expect(parse(lines, { format: 'plain' }).map(({ origin }) => origin.format)).toEqual(['plain', 'plain'])
    expect(textsOf(parse([record('one'), record('two')], { joins: 'untilHeader' }))).toEqual(['one\ntwo'])
  })

  test('more than a second later are entries of their own', () => {
    expect(textsOf(parse([record('crashed'), record('  at main', { time: start + 1_001 })]))).toHaveLength(2)
    expect(textsOf(parse([record('crashed'), record('  at main', { time: start + 1_000 })]))).toHaveLength(1)
  })

  test('without a stream are entries of their own, with all of their lines', () => {
    const texts = textsOf(
      parse([record('one\n\ttwo', { stream: undefined }), record('  three', { stream: undefined })]),
    )
    expect(texts).toEqual(['one\n\ttwo', '  three'])
  })

  test('have the severity of the record, else of the format, else of the words, else the hint', () => {
    const hint = severityCode.WARN
    const [known, parsed, guessed, hinted, denied] = parse([
      record('level=info msg="x"', { severity: severityCode.ERROR, hint }),
      record('level=info msg="x" n=1', { hint, sequence: 2 }),
      record('cannot open the door', { hint, sequence: 3 }),
      record('listening', { hint, sequence: 4 }),
      record('listening', { sequence: 5 }),
    ])
    expect(severityOf(known)).toBe('ERROR')
    expect(parsed?.severity).toBe(0)
    expect(guessed?.severity).toBeUndefined()
    expect(severityOf(hinted)).toBe('WARN')
    expect(denied?.severity).toBeUndefined()
  })

  test('lose escape sequences and the text beyond 1 MiB; blank records are skipped', () => {
    const [coloured, long] = parse([
      record('\u001b[31mred\u001b[0m'),
      record(' '),
      record('ü'.repeat(maxTextBytes), { sequence: 2 }),
    ])
    expect(coloured?.text).toBe('red')
    expect(long?.truncated).toBe(true)
    expect(Buffer.byteLength(long?.text ?? '')).toBe(maxTextBytes)
  })

  test('of very many streams are emitted early, and none is lost', () => {
    const records = Array.from({ length: 2_000 }, (_, index) =>
      record(`line ${index}`, { stream: `${index}`, sourceId: `journald:attic:${index}` }),
    )
    expect(textsOf(parse(records)).toSorted()).toEqual(records.map(({ text }) => text).toSorted())
  })
})
