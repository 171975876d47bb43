import { describe, expect, test } from 'vitest'
import { parseForTests as parse } from './parse-for-tests.ts'

const parsed = (...lines: string[]) => parse(`${lines.join('\n')}\n`).entries

describe('a time behind something else', () => {
  test('is that of an entry, in a file of which most lines have it so', () => {
    const entries = parsed(
      'shelf-7 (lean) 2024-05-01 10:20:30.250 WARNING row 7 leans',
      'shelf-7 (put) 2024-05-01 10:20:31.250 ERROR no room',
      '  with a second line',
      'java.lang.IllegalStateException: no room',
      'shelf-8 (put) 2024-05-01 10:20:32.250 INFO row 8 never failed',
    )
    expect(entries.map(({ time, severity }) => [time, severity])).toEqual([
      ['2024-05-01T10:20:30.250Z', 'WARN'],
      ['2024-05-01T10:20:31.250Z', 'ERROR'],
      ['2024-05-01T10:20:32.250Z', null],
    ])
    expect(entries.map(({ format }) => format)).toEqual(['time-within', 'time-within', 'time-within'])
  })

  test('is one of a sentence in any other file', () => {
    const lines = [
      '2024-05-01 10:20:30 INFO [main] shop.Shelf: restarted',
      'it was started at 2024-04-01 10:00:00 before',
      '2024-05-01 10:20:31 INFO [main] shop.Shelf: ready',
    ]
    expect(parsed(...lines).map(({ text }) => text.split('\n').length)).toEqual([2, 1])
    const [, sentence] = parsed('row 7', 'it was started at 2024-04-01 10:00:00 before', 'row 8', 'row 9')
    expect(sentence).toMatchObject({ time: null, format: 'plain' })
  })

  test('in numbers has its order from whichever line shows it', () => {
    const times = (...lines: string[]) => parsed(...lines).map(({ time }) => time)
    expect(times('7;03/04/2024 10:00:00;one', '8;13/04/2024 10:00:00;two')).toEqual([
      '2024-04-03T10:00:00.000Z',
      '2024-04-13T10:00:00.000Z',
    ])
  })
})

test('a date of three two-digit numbers has its year where it is nearest to the present', () => {
  const timesOf = (...lines: string[]) => parsed(...lines).map(({ time }) => time)
  expect(timesOf('24-05-03 10:00:00 one', '24-12-04 10:00:00 two')).toEqual([
    '2024-05-03T10:00:00.000Z',
    '2024-12-04T10:00:00.000Z',
  ])
  expect(timesOf('13-05-24 10:00:00 one', '03-06-24 10:00:00 two')).toEqual([
    '2024-05-13T10:00:00.000Z',
    '2024-06-03T10:00:00.000Z',
  ])
  expect(timesOf('23-05-24 10:00:00 one', '23-05-09 10:00:00 two')).toEqual([
    '2023-05-24T10:00:00.000Z',
    '2023-05-09T10:00:00.000Z',
  ])
  expect(timesOf('23-05-24 10:00:00 one')).toEqual([null])
})
