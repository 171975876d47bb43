import { describe, expect, test } from 'vitest'
import type { NewEntry } from '../../entries/batch-builder.ts'
import { severityCode, severityOfCode } from '../../entries/severity-code.ts'
import { maxTextBytes } from '../../formats/clean.ts'
import { utc } from '../../formats/zone.ts'
import type { CollectedRecord } from './record.ts'
import { createRecordParser } from './record-parser.ts'

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
const parse = (records: readonly CollectedRecord[]): NewEntry[] => {
  const entries: NewEntry[] = []
  const parser = createRecordParser({
    owner: { branch: null, tenantId: 'home' },
    time: { zone: utc, reference: start },
    onEntry: (entry) => entries.push(entry),
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
