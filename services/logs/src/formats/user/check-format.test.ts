import { describe, expect, test } from 'vitest'
import type { PatternFormat } from '../format.ts'
import { createHeader } from '../header.ts'
import { logFormats } from '../library/mod.ts'
import { createPatternReader } from '../pattern-reader.ts'
import { utc } from '../zone.ts'
import { checkFormat } from './check-format.ts'
import { createChecker } from './checker.ts'
import { isFaulty, readFormat } from './read-format.ts'

const formatOf = (pattern: string, line: string, more = {}) => {
  const read = readFormat(JSON.stringify({ name: 'own', pattern, samples: [{ line, ...more }] }), 'own.json')
  if (isFaulty(read)) throw new Error(read.problem)
  return read.format
}

describe('a pattern that would stall an engine that backtracks is matched in linear time', () => {
  test.each([
    ['nested repetition', '^(?<message>(?:\\w+\\s?)+):', 'one two three:'],
    ['repetition of alternatives that overlap', '^\\[(?<message>(?:ab|a|b)+)\\]$', '[aabb]'],
    ['nested repetition at the end', '^(?<level>[A-Z]+) (?<message>(?:x+x+)+y)', 'ERROR xxxxy'],
    ['three that share', '^(?<level>\\w+) (?<one>.*)(?<two>.*)(?<message>.*);$', 'ERROR one two three;'],
  ])('%s', async (_, pattern, line) => {
    await using checker = createChecker({ milliseconds: 20_000 })
    // Of 8,000 characters, 60 would take longer than anybody waits.
    const hostile = line.slice(0, -1).padEnd(8_000, line.at(-2)) + line.at(-1)
    const format = { ...formatOf(pattern, line), samples: [{ line }, { line: hostile }] }
    expect(await checker.check(format, [])).toMatchObject({ problems: [] })
    const reader = createPatternReader(format as PatternFormat, { zone: utc, reference: 0 })
    expect(reader.read(`${hostile.slice(0, -1)}\u0001`, createHeader())).toBeUndefined()
  })

  test.each([
    ['looks ahead', '^(?<message>(?!x).*)'],
    ['looks behind', '^(?<message>.*)(?<=x)'],
    ['repeats too much', '^(?<message>(?:[a-z]{1,100}){1,100})'],
  ])('and one that %s is refused', (_, pattern) => {
    const read = readFormat(JSON.stringify({ name: 'own', pattern, samples: [{ line: 'x' }] }), 'own.json')
    expect(isFaulty(read) && read.problem).toMatch(/linear time|repeats too much/)
  })
})

test('patterns of the library are not refused', () => {
  const some = logFormats.filter((format, index) => format.kind === 'pattern' && index % 12 === 0)
  for (const format of some) {
    const { problems } = checkFormat({ ...format, name: 'own' }, [])
    expect(problems.filter((problem) => problem.includes('too long'))).toEqual([])
  }
})

test('a sample that does not come out is named, with what came out', () => {
  const format = formatOf('^~(?<level>\\w+) (?<message>.*)', '~oops no room', { message: 'room' })
  expect(checkFormat(format, []).problems).toEqual(['sample "~oops no room" has message "no room", not "room"'])
})

test('a format cannot have the name of another one', () => {
  const format = formatOf('^~(?<message>.*)', '~x')
  expect(checkFormat(format, [format]).problems).toEqual([expect.stringContaining('another format')])
  expect(checkFormat({ ...format, name: 'nginx-error' }, []).problems).toEqual([
    expect.stringContaining('another format'),
  ])
})
