import { describe, expect, test } from 'vitest'
import { knownFormatNames } from './active-formats.ts'
import { describeEntry } from './describe-entry.ts'
import { createLineReader } from './detect.ts'
import { createHeader } from './header.ts'
import { logFormats } from './library/mod.ts'
import { problemsOfFormats } from './verify.ts'
import { utc } from './zone.ts'

const megabyte = 1 << 20
/** What a pattern that tries again and again at each place would spend minutes on. */
const fills = ['a', ' ', '0', '"', '[', '\\', ':', '.', '(', '|', ',', 'a ', 'a=b ', '[a] ', '"a" ', '1:', ' (a', 'A']
/** What costs less, in milliseconds of the thread's own time, is not compared: it varies too much. */
const comparedMilliseconds = 200
/** Of the cost of a quarter of the line: four if the cost is proportional to the length, sixteen if to its square. */
const maxRatio = 8

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

  test('a sample that another format reads is named', () => {
    const format = logFormats.find(({ name }) => name === 'go-log')
    if (!format) throw new Error('The library has lost a format.')
    const broken = { ...format, samples: [{ line: '2024/03/01 09:15:02 [error] 71#71: no room' }] }
    expect(problemsOfFormats([broken])).toEqual([expect.stringContaining('is read as nginx-error')])
  })

  test('names are told apart', () => {
    expect(new Set(logFormats.map(({ name }) => name)).size).toBe(logFormats.length)
    expect(knownFormatNames()).toHaveLength(logFormats.length + 2)
  })

  test('every format has a sample that says which time or severity comes out', () => {
    const silent = logFormats.flatMap(({ name, samples }) =>
      samples.some(({ severity, time }) => severity !== undefined || time !== undefined) ? [] : [name],
    )
    expect(silent).toEqual([])
  })

  test('a long line costs in proportion to its length, whatever it begins like and goes on with', () => {
    const reader = createLineReader({ zone: utc, reference: Date.UTC(2024, 11, 31) })
    const header = createHeader()
    const starts = logFormats.flatMap(({ samples }) => samples.slice(0, 1).map(({ line }) => line))
    const slow: string[] = []
    const costOf = (line: string): number => {
      const before = process.threadCpuUsage()
      reader.read(line, header)
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000
    }
    starts.forEach((start, index) => {
      const fill = fills[index % fills.length] ?? ' '
      const beginning = start.slice(0, Math.ceil((start.length * ((index % 5) + 1)) / 5))
      if (costOf(beginning.padEnd(megabyte, fill)) < comparedMilliseconds) return
      // Compilation and the collector take part in some runs.
      const minCostOf = (length: number) => Math.min(...[1, 2, 3].map(() => costOf(beginning.padEnd(length, fill))))
      if (minCostOf(megabyte) > maxRatio * minCostOf(megabyte / 4)) slow.push(`${beginning}${fill}`)
    })
    expect(slow).toEqual([])
  })

  test('a message that goes on for long is kept whole', () => {
    const message = 'x'.repeat(megabyte)
    const line = `2024/03/01 09:15:02 [error] 71#71: ${message}`
    expect(describeEntry('nginx-error', line).message).toBe(message)
  })
})
