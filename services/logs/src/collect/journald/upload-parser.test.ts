import { describe, expect, test } from 'vitest'
import { decodeBatch } from '../../entries/entry-batch.ts'
import { utc } from '../../formats/zone.ts'
import { createUploadParser, isJournalExport } from './upload-parser.ts'

const sized = (name: string, value: Buffer) => {
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(value.length))
  return Buffer.concat([Buffer.from(`${name}\n`), size, value, Buffer.from('\n')])
}
const field = (fields: Record<string, string>) =>
  Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
const first = 1_717_860_261_221_373
const begin = (number: number) =>
  field({ __CURSOR: `s=a;i=${number.toString(16)}`, __REALTIME_TIMESTAMP: String(first + number), _BOOT_ID: 'b' })
const entry = (number: number, fields: Record<string, string>) =>
  Buffer.concat([begin(number), field(fields), Buffer.from('\n')])

const parse = (bytes: Buffer) => {
  const texts: string[] = []
  const parser = createUploadParser({
    source: { sourceId: 'sent', branch: null, tenantId: null },
    time: { zone: utc, reference: first / 1_000 },
    now: () => 0,
    onBatch: (buffer) => {
      const batch = decodeBatch(buffer)
      for (let index = 0; index < batch.count; index++)
        texts.push(
          Buffer.from(
            batch.text.subarray(index === 0 ? 0 : batch.textEnds[index - 1], batch.textEnds[index]),
          ).toString(),
        )
    },
  })
  parser.push(bytes)
  parser.end()
  return { texts, counts: parser.counts }
}

describe('an export of a journal', () => {
  test('is detected by its first bytes', () => {
    expect(isJournalExport(entry(1, { MESSAGE: 'one' }))).toBe(true)
    expect(isJournalExport(Buffer.from('__REALTIME_TIMESTAMP=1717860261221373\nMESSAGE=x\n\n'))).toBe(true)
    expect(isJournalExport(Buffer.from('__CURSOR=s;i=1\nMESSAGE=x\n'))).toBe(false)
    expect(isJournalExport(Buffer.from('MESSAGE=x __REALTIME_TIMESTAMP=17\n'))).toBe(false)
  })

  test('has messages with any bytes, and its counts include unreadable entries and those without a message', () => {
    const bytes = Buffer.concat([
      entry(1, { MESSAGE: 'one', PRIORITY: '3' }),
      Buffer.concat([begin(2), sized('MESSAGE', Buffer.from('two\nlines \0', 'latin1')), Buffer.from('\n')]),
      Buffer.from('not a field\nMESSAGE=lost\n\n'),
      entry(3, { PRIORITY: '6' }),
      entry(4, { MESSAGE: 'level=warn msg="low" left=3' }),
      begin(5),
      Buffer.from('MESSAGE\n\u0009'),
    ])
    expect(parse(bytes)).toEqual({
      texts: ['one', 'two\nlines �', 'level=warn msg="low" left=3'],
      counts: { lines: 5, entries: 3, joined: 0, rejected: 2, formats: { 'journal-export': 2, logfmt: 1 } },
    })
  })

  test('joins the lines of a trace that a program printed', () => {
    const printed = { _TRANSPORT: 'stdout', _PID: '7', PRIORITY: '6' }
    const lines = ['Traceback (most recent call last):', '  File "a.py", line 1, in <module>', 'ValueError: no']
    const { texts, counts } = parse(
      Buffer.concat(lines.map((MESSAGE, number) => entry(number, { MESSAGE, ...printed }))),
    )
    expect(texts).toEqual([lines.join('\n')])
    expect(counts).toMatchObject({ lines: 3, entries: 1, joined: 2 })
  })
})
