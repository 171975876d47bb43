import { describe, expect, test } from 'vitest'
import { isFaulty, readFormat } from './read-format.ts'

const good = `name: shop
pattern: '^(?<time>\\d+) (?<level>\\w+) (?<message>.*)'
time: epoch
samples:
  - line: '1717634687 OOPS no room'
    severity: ERROR
`

const problemOf = (content: string) => {
  const read = readFormat(content, 'shop.yaml')
  return isFaulty(read) ? read.problem : undefined
}

test('a format in YAML or in JSON is read', () => {
  const json = JSON.stringify({ name: 'shop', pattern: '^(?<message>x.*)', samples: [{ line: 'x' }], wraps: false })
  for (const content of [good, json]) {
    expect(readFormat(content, 'x')).toMatchObject({ format: { kind: 'pattern', name: 'shop', joins: 'traces' } })
  }
  expect(
    readFormat('{kind: json, name: j, requires: [a.b], time: a.at, level: [l], samples: [{line: "{}"}]}', 'x'),
  ).toMatchObject({
    format: { kind: 'json', requires: ['a.b'], time: ['a.at'], level: ['l'], message: [] },
  })
})

describe('a mistake is named with its line and the reason', () => {
  test.each<[string, string, string]>([
    ['no YAML', `${good}  nonsense: [`, 'line 7: All mapping items'],
    ['no mapping', '- a', 'line 1: a format is a mapping'],
    ['nothing', '', 'line 1: a format is a mapping'],
    ['a key that is missing', good.replace(/^name.*\n/, ''), 'name is missing'],
    ['a key that is not known', good.replace('time:', 'times:'), 'line 3: times is not known; there are'],
    ['a name with capitals', good.replace('shop', 'Shop'), 'line 1: name must be'],
    ['a pattern that is none', good.replace('(?<level>', '(?<level'), 'line 2: pattern is no regular expression'],
    ['a pattern that is not anchored', good.replace("'^", "'"), 'line 2: pattern must begin with ^'],
    ['alternatives outside of a group', good.replace('.*)', '.*)|^x'), 'line 2: pattern must have its alternatives'],
    ['a group without a name', good.replace('\\w+', '(a|b)'), 'line 2: pattern must have names for its groups'],
    ['a reference back', good.replace('.*)', '.*)\\k<level>'), 'line 2: pattern must not refer back'],
    [
      'groups that mean nothing',
      good.replace(/\?<(time|level|message)>/g, '?<x$1>'),
      'line 2: pattern must have a group',
    ],
    ['a time that is not known', good.replace('epoch', 'soon'), 'line 3: time must be iso, syslog'],
    [
      'a piece of a time that is not known',
      good.replace('epoch', '[day, fortnight]'),
      'line 3: time[1] must be pieces',
    ],
    ['no samples', good.replace(/samples:[\s\S]*/, 'samples: []'), 'line 4: samples must be a list'],
    ['a severity that is not known', good.replace('ERROR', 'LOUD'), 'line 6: samples[0].severity must be'],
    [
      'a key of a sample that is not known',
      good.replace('severity', 'level'),
      'line 6: samples[0].level is not known; there are',
    ],
    ['a level that means nothing', `${good}levels: {OOPS: LOUD}\n`, 'line 7: levels.OOPS must be'],
    ['aliases without an end', `${good}description: &a [*a]\n`, 'shop.yaml'],
  ])('%s', (_, content, problem) => {
    expect(problemOf(content)).toContain('shop.yaml')
    expect(problemOf(content)).toContain(problem)
  })
})
