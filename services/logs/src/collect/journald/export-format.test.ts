import { describe, expect, test } from 'vitest'
import { maxTextBytes } from '../../formats/clean.ts'
import { createExportReader, ExportMalformed, type JournalFields } from './export-format.ts'

const sized = (name: string, value: Buffer) => {
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(value.length))
  return Buffer.concat([Buffer.from(`${name}\n`), size, value, Buffer.from('\n')])
}
const shown = (entries: JournalFields[]) =>
  entries.map((fields) => Object.fromEntries([...fields].map(([name, value]) => [name, value.toString('latin1')])))

const bytes = Buffer.concat([
  Buffer.from('__CURSOR=s=1;i=1\nMESSAGE=one = 1\n\n'),
  Buffer.from('PRIORITY=3\n'),
  sized('MESSAGE', Buffer.from('two\nlines \xff\x00', 'latin1')),
  sized('EMPTY', Buffer.alloc(0)),
  Buffer.from('_PID=7\n\n\n\n'),
  Buffer.from('MESSAGE=\nMESSAGE=again\n\n'),
])
const entries = [
  { __CURSOR: 's=1;i=1', MESSAGE: 'one = 1' },
  { PRIORITY: '3', MESSAGE: 'two\nlines \xff\x00', EMPTY: '', _PID: '7' },
  { MESSAGE: '' },
]

describe('the journal export format', () => {
  test('is read with text, with any bytes, with empty values, and with the first of repeated fields', () => {
    expect(shown(createExportReader().push(bytes))).toEqual(entries)
  })

  test('is read the same at any chunk size', () => {
    for (let size = 1; size < 12; size++) {
      const reader = createExportReader()
      const read: JournalFields[] = []
      for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.subarray(at, at + size)))
      expect(shown([...read, ...reader.end()])).toEqual(entries)
    }
  })

  test('does not change what it read when the memory of a chunk is reused', () => {
    const reader = createExportReader()
    const chunk = Buffer.from('MESSAGE=data')
    reader.push(chunk)
    chunk.fill(0)
    expect(shown(reader.push(Buffer.from(' whole\n\n')))).toEqual([{ MESSAGE: 'data whole' }])
  })

  test('returns the last entry of a file without an empty line after it', () => {
    const reader = createExportReader()
    expect(reader.push(Buffer.from('MESSAGE=last\n'))).toEqual([])
    expect(shown(reader.end())).toEqual([{ MESSAGE: 'last' }])
  })

  test('skips the content of a field beyond 1 MiB', () => {
    const reader = createExportReader()
    const long = Buffer.alloc(maxTextBytes + 70_000, 'x')
    const read = reader.push(Buffer.concat([sized('COREDUMP', long), Buffer.from('MESSAGE=dumped\n\n')]))
    expect(read[0]?.get('COREDUMP')).toHaveLength(maxTextBytes)
    expect(read[0]?.get('MESSAGE')?.toString()).toBe('dumped')
  })

  test.each([
    ['text of another kind', 'Jun  4 15:16:01 attic sshd[7]: hello\n'],
    ['an invalid field name', 'lower=1\n\n'],
    ['a value that is longer than its stated size', 'MESSAGE\n\x01\0\0\0\0\0\0\0xx\n\n'],
  ])('rejects %s', (_, text) => {
    expect(() => createExportReader().push(Buffer.from(text, 'latin1'))).toThrow(ExportMalformed)
  })

  test('reports a file that is truncated in a field', () => {
    const reader = createExportReader()
    reader.push(Buffer.from('MESSAGE\n\x09\0\0\0\0\0\0\0half', 'latin1'))
    expect(() => reader.end()).toThrow('is truncated')
  })
})
