import { expect, test } from 'vitest'
import { maxTextBytes } from '../../formats/clean.ts'
import type { JournalFields } from './export-format.ts'
import { createWholeLines } from './whole-lines.ts'

const fieldsOf = (number: number, fields: Record<string, string | Buffer>): JournalFields =>
  new Map(
    Object.entries({
      __CURSOR: `i=${number}`,
      __REALTIME_TIMESTAMP: `${1_717_495_200_000_000 + number}`,
      ...fields,
    }).map(([name, value]) => [name, Buffer.from(value as string)]),
  )
const shown = (entries: readonly JournalFields[]) =>
  entries.map((fields) => `${fields.get('__CURSOR')} ${fields.get('MESSAGE')}`)
const join = (entries: readonly JournalFields[]) => {
  const lines = createWholeLines()
  return shown([...entries.flatMap(lines.push), ...lines.end()])
}

const character = Buffer.from('ü')
const printed = { _STREAM_ID: 'a', _LINE_BREAK: 'line-max' }
const contained = { CONTAINER_ID_FULL: 'f00', PRIORITY: '6', CONTAINER_PARTIAL_MESSAGE: 'true' }

test.each([
  ['of a program', printed],
  ['of a container', contained],
])('the parts of a long line %s are one entry, also if one ends within a character', (_, part) => {
  const { _LINE_BREAK, CONTAINER_PARTIAL_MESSAGE, ...last } = {
    _LINE_BREAK: '',
    CONTAINER_PARTIAL_MESSAGE: '',
    ...part,
  }
  const lines = join([
    fieldsOf(1, { ...part, MESSAGE: Buffer.concat([Buffer.from('one '), character.subarray(0, 1)]) }),
    fieldsOf(2, { _STREAM_ID: 'b', MESSAGE: 'other' }),
    fieldsOf(3, { ...part, MESSAGE: Buffer.concat([character.subarray(1), Buffer.from(' two ')]) }),
    fieldsOf(4, { ...last, MESSAGE: 'three' }),
    fieldsOf(5, { ...last, MESSAGE: 'next' }),
  ])
  expect(lines).toEqual(['i=2 other', 'i=1 one ü two three', 'i=5 next'])
})

test('a line without its last part is an entry at the end, or when others are written ten seconds later', () => {
  const part = fieldsOf(1, { ...printed, MESSAGE: 'cut' })
  expect(join([part])).toEqual(['i=1 cut'])
  // The kernel and senders of syslog have no stream.
  for (const stream of [{ _STREAM_ID: 'b' }, {}]) {
    const lines = createWholeLines()
    lines.push(part)
    const later = fieldsOf(10_000_002, { ...stream, MESSAGE: 'later' })
    expect(shown(lines.push(later))).toEqual(['i=1 cut', 'i=10000002 later'])
    expect(lines.isOpen).toBe(false)
  }
})

test('a line longer than what is stored occupies no more than that', () => {
  const lines = createWholeLines()
  const part = Buffer.alloc(49_152, 'x')
  for (let number = 1; number <= 100; number++) lines.push(fieldsOf(number, { ...printed, MESSAGE: part }))
  expect(lines.isOpen).toBe(true)
  const [line] = lines.push(fieldsOf(101, { _STREAM_ID: 'a', MESSAGE: 'end' }))
  expect(line?.get('MESSAGE')?.length).toBe(maxTextBytes + 4)
  expect(lines.isOpen).toBe(false)
})
