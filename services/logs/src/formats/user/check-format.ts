import { describeLine } from '../describe-entry.ts'
import type { LogFormat } from '../format.ts'
import { createHeader } from '../header.ts'
import { logFormats } from '../library/mod.ts'
import { createPatternReader } from '../pattern-reader.ts'
import { createSampleReader, problemsOfSample } from '../verify.ts'
import { utc } from '../zone.ts'
import { hostileLines } from './hostile-lines.ts'

/** What a sample came out as. */
export type SampleOutcome = { line: string; problems: string[] }
export type FormatCheck = { problems: string[]; samples: SampleOutcome[] }

/** Of the thread's own time, so that a busy machine makes no difference. */
const maxMilliseconds = 50

const shown = (line: string) => JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}...` : line)

/** A line that takes too much time. Patterns of users are matched in linear time; those of the library are held to a limit. */
const slowLine = (format: LogFormat): string | undefined => {
  if (format.kind !== 'pattern' || format.isOfUser === true) return undefined
  const reader = createPatternReader(format, { zone: utc, reference: 0 })
  const header = createHeader()
  const cpu = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  for (const line of hostileLines(
    format.samples.map(({ line }) => line),
    format.wraps === true,
  )) {
    const before = cpu()
    reader.read(line, header)
    describeLine(format, line)
    // What was slow once may have been the compiler.
    if (cpu() - before <= maxMilliseconds) continue
    const again = cpu()
    reader.read(line, header)
    describeLine(format, line)
    if (cpu() - again > maxMilliseconds) return line
  }
  return undefined
}

/**
 * Whether a format does what it says and stops when it should. `earlier` are those that are tried before the library and before it. May take
 * for ever where a pattern does: to be called in a thread that can be ended.
 */
export const checkFormat = (format: LogFormat, earlier: readonly LogFormat[]): FormatCheck => {
  if ([...earlier, ...logFormats].some(({ name }) => name === format.name))
    return { problems: [`name is "${format.name}", which is another format`], samples: [] }
  const slow = slowLine(format)
  if (slow !== undefined)
    return { problems: [tooSlow(`on a line of ${slow.length} characters that begins ${shown(slow)}`)], samples: [] }
  const reader = createSampleReader([...earlier, format, ...logFormats])
  const samples = format.samples.map((sample) => ({
    line: sample.line,
    problems: problemsOfSample(format, sample, reader),
  }))
  const problems = samples.flatMap(({ line, problems }) =>
    problems.map((problem) => `sample ${shown(line)} ${problem}`),
  )
  return { problems, samples }
}

/** What is said of a pattern that would keep everybody waiting. */
export const tooSlow = (where: string) =>
  `pattern takes too long ${where}: it can share the same characters in too many ways, as (a+)+ or .*.* do`
