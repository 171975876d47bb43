import { expect, test } from 'vitest'
import { describePattern, groupNames } from './describe-pattern.ts'
import { logFormats } from './library/mod.ts'

const patterns = logFormats.filter((format) => format.kind === 'pattern')

test('every group of every format has a name of its own, so that its place tells it', () => {
  const unnamed = patterns.filter(({ pattern }) => {
    const captured = new RegExp(`${pattern.source}|`, pattern.flags).exec('')?.length ?? 0
    return captured - 1 !== groupNames(pattern).length
  })
  expect(unnamed.map(({ name }) => name)).toEqual([])
})

test('a line is described by what the groups of its format match', () => {
  const differing = patterns.flatMap((format) =>
    format.samples.flatMap(({ line }) => {
      const groups = format.pattern.exec(line)?.groups
      const named = Object.entries(groups ?? {})
        .filter(([name, value]) => name !== 'time' && name !== 'message' && value)
        .map(([name, value]) => [name, value?.trim()])
      const expected = groups && {
        message: groups.message ?? line,
        fields: named.length > 0 ? Object.fromEntries(named) : null,
        timestampRaw: groups.time ?? null,
      }
      const found = describePattern(format, line)
      if (format.pairs) return []
      return JSON.stringify(found) === JSON.stringify(expected) ? [] : [{ line, found, expected }]
    }),
  )
  expect(differing).toEqual([])
})

test('a line that a pattern does not fit is not described', () => {
  const described = patterns.filter((format) => describePattern(format, '~ no format begins like this') !== undefined)
  expect(described.map(({ name }) => name)).toEqual([])
})
