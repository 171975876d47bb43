import { describe, expect, test } from 'vitest'
import { logFormats } from '../library/mod.ts'
import { checkFormat } from './check-format.ts'
import { createChecker } from './checker.ts'
import { isFaulty, readFormat } from './read-format.ts'

const formatOf = (pattern: string, line: string, more = {}) => {
  const read = readFormat(JSON.stringify({ name: 'own', pattern, samples: [{ line, ...more }] }), 'own.json')
  if (isFaulty(read)) throw new Error(read.problem)
  return read.format
}

describe('a pattern that could stall a thread is refused', () => {
  test.each([
    ['nested repetition', '^(?<message>(?:\\w+\\s?)+):', 'one two three:'],
    ['repetition of alternatives that overlap', '^\\[(?<message>(?:ab|a|b)+)\\]$', '[aabb]'],
    ['nested repetition at the end', '^(?<level>[A-Z]+) (?<message>(?:x+x+)+y)', 'ERROR xxxxy'],
    ['three that share', '^(?<level>\\w+) (?<one>.*)(?<two>.*)(?<message>.*);$', 'ERROR one two three;'],
    ['two that share', '^(?<one>.*) (?<two>.*) (?<message>.*)!$', 'one two three!'],
  ])('%s', async (_, pattern, line) => {
    await using checker = createChecker({ milliseconds: 2_000 })
    const { problems } = await checker.check(formatOf(pattern, line), [])
    expect(problems).toEqual([expect.stringContaining('takes too long')])
  })

  test('and the next one is checked all the same', async () => {
    await using checker = createChecker({ milliseconds: 2_000 })
    await checker.check(formatOf('^(?<message>(?:\\w+\\s?)+):', 'one two three:'), [])
    const { problems } = await checker.check(formatOf('^~(?<message>[^:]+):', '~one two three:'), [])
    expect(problems).toEqual([])
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
