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
/** Of the thread's own time, so that a busy machine makes no difference. */
const maxMilliseconds = 200

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

  test('a line of a megabyte costs little, whatever it begins like and goes on with', () => {
    const reader = createLineReader({ zone: utc, reference: Date.UTC(2024, 11, 31) })
    const header = createHeader()
    const starts = logFormats.flatMap(({ samples }) => samples.slice(0, 1).map(({ line }) => line))
    const slow: string[] = []
    starts.forEach((start, index) => {
      const fill = fills[index % fills.length] ?? ' '
      const line = start.slice(0, Math.ceil((start.length * ((index % 5) + 1)) / 5)).padEnd(megabyte, fill)
      const before = process.threadCpuUsage()
      reader.read(line, header)
      const { user, system } = process.threadCpuUsage(before)
      if ((user + system) / 1000 > maxMilliseconds) slow.push(line.slice(0, 200))
    })
    expect(slow).toEqual([])
  })

  test('a message that goes on for long is kept whole', () => {
    const message = 'x'.repeat(megabyte)
    const line = `2024/03/01 09:15:02 [error] 71#71: ${message}`
    expect(describeEntry('nginx-error', line).message).toBe(message)
  })
})
