import { expect, test } from 'vitest'
import { decodeBatch } from '../entries/entry-batch.ts'
import { createFileParser } from './file-parser.ts'
import { utc } from './zone.ts'

const lines = [
  'INFO:root:ready',
  'ERROR:root:it broke',
  'Traceback (most recent call last):',
  '  File "x.py", line 1, in <module>',
  '    raise ValueError("no")',
  'ValueError: no',
  '',
  'INFO:root:ready again',
  'INFO:root:and again',
]
const bytesOf = (from: number, to: number) =>
  Buffer.from(
    lines
      .slice(from, to)
      .map((line) => `${line}\n`)
      .join(''),
  )

type ParsedLine = { text: string; sequence: number; format: string }

const open = (parsed: ParsedLine[], firstLine: number, joins?: 'never') =>
  createFileParser({
    source: { sourceId: 'test', branch: null, tenantId: null },
    time: { zone: utc, reference: 0 },
    now: () => 0,
    firstLine,
    joins,
    ...(firstLine > 1 && { sample: bytesOf(0, lines.length) }),
    onBatch: (buffer) => {
      const batch = decodeBatch(buffer)
      for (let index = 0; index < batch.count; index++) {
        const from = index === 0 ? 0 : (batch.textEnds[index - 1] ?? 0)
        parsed.push({
          text: Buffer.from(batch.text.subarray(from, batch.textEnds[index])).toString(),
          sequence: batch.sequences[index] ?? 0,
          format: batch.origins[batch.originOf[index] ?? 0]?.format ?? '',
        })
      }
    },
  })

const readAtOnce = () => {
  const parsed: ParsedLine[] = []
  const parser = open(parsed, 1)
  parser.push(bytesOf(0, lines.length))
  parser.end()
  return parsed
}

test.each(lines.map((_, line) => line + 1))(
  'a file that is read up to its line %i, and from the open entry on later, gives what reading it at once gives',
  (stop) => {
    const parsed: ParsedLine[] = []
    const first = open(parsed, 1)
    first.push(bytesOf(0, stop))
    const openLine = first.settle(false)
    expect(openLine).toBeGreaterThan(parsed.at(-1)?.sequence ?? 0)
    const second = open(parsed, openLine)
    second.push(bytesOf(openLine - 1, lines.length))
    second.end()
    expect(parsed).toEqual(readAtOnce())
  },
)

test('settling again and again in one reading changes nothing of what comes out', () => {
  const parsed: ParsedLine[] = []
  const parser = open(parsed, 1)
  for (let line = 0; line < lines.length; line++) {
    parser.push(bytesOf(line, line + 1))
    // From the middle on, so that the format is chosen by as many lines.
    if (line >= 4) parser.settle(false)
  }
  parser.end()
  expect(parsed.map(({ text, sequence }) => ({ text, sequence }))).toEqual(
    readAtOnce().map(({ text, sequence }) => ({ text, sequence })),
  )
})

test('a settling that closes ends the entry that was open, and says which line comes next', () => {
  const parsed: ParsedLine[] = []
  const parser = open(parsed, 1)
  parser.push(bytesOf(0, 4))
  expect(parser.settle(true)).toBe(5)
  expect(parsed.map(({ sequence }) => sequence)).toEqual([1, 2])
})

test('a source that says how its lines join is listened to', () => {
  const parsed: ParsedLine[] = []
  const parser = open(parsed, 1, 'never')
  parser.push(bytesOf(0, lines.length))
  parser.end()
  expect(parsed).toHaveLength(lines.filter((line) => line !== '').length)
})
