import { describe, expect, test } from 'vitest'
import { formatNames } from './detect.ts'
import { logFormats } from './library/mod.ts'
import { problemsOfFormats } from './verify.ts'

describe('the library of formats', () => {
  test('every sample of every format comes out as it says', () => {
    expect(problemsOfFormats(logFormats)).toEqual([])
  })

  test('a sample that does not come out is named', () => {
    const [format] = logFormats.filter(({ name }) => name === 'nginx-error')
    if (!format) throw new Error('The library has lost a format.')
    const [first] = format.samples
    if (!first) throw new Error('The format has lost its samples.')
    const broken = { ...format, samples: [{ ...first, severity: 'WARN' as const }] }
    expect(problemsOfFormats([broken])).toEqual([expect.stringContaining('has severity ERROR, not WARN')])
  })

  test('names are told apart', () => {
    expect(new Set(formatNames).size).toBe(formatNames.length)
  })
})
