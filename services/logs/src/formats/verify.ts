import { severityOfCode } from '../entries/severity-code.ts'
import { describeLine } from './describe-entry.ts'
import { createLineReader } from './detect.ts'
import type { LogFormat, Sample } from './format.ts'
import { createHeader, type LineReader } from './header.ts'
import { logFormats } from './library/mod.ts'
import { guessSeverity } from './severity-guess.ts'
import { utc } from './zone.ts'

const reference = Date.UTC(2024, 11, 31)

/** Reads samples as they are meant: the year is 2024 where there is none, the zone UTC, and times of day are of the day that a sample before named. */
export const createSampleReader = (formats: readonly LogFormat[]): LineReader =>
  createLineReader({ zone: utc, reference, named: { moment: Number.NaN } }, formats)

/** What is wrong with a sample, as ends of a sentence about it; `reader` is of the whole library. */
export const problemsOfSample = (format: LogFormat, sample: Sample, reader: LineReader): string[] => {
  const header = createHeader()
  const name = reader.read(sample.line, header)
  if (name !== format.name) return [`is read as ${name ?? 'plain'}`]
  const found = describeLine(format, sample.line)
  const time = Number.isNaN(header.time) ? null : new Date(header.time).toISOString()
  const severity = severityOfCode(header.severity ?? guessSeverity(sample.line))
  const wrong: string[] = []
  if (sample.time !== undefined && sample.time !== time) wrong.push(`has time ${time}, not ${sample.time}`)
  if (sample.severity !== undefined && sample.severity !== severity)
    wrong.push(`has severity ${severity}, not ${sample.severity}`)
  if (sample.message !== undefined && sample.message !== found?.message)
    wrong.push(`has message "${found?.message}", not "${sample.message}"`)
  for (const [field, value] of Object.entries(sample.fields ?? {})) {
    if (String(found?.fields?.[field]) !== value)
      wrong.push(`has ${field} "${String(found?.fields?.[field])}", not "${value}"`)
  }
  return wrong
}

/** What is wrong with the samples of formats, one sentence each: read by the whole library, a sample must come out as its own format. */
export const problemsOfFormats = (formats: readonly LogFormat[]): string[] => {
  const reader = createSampleReader(logFormats)
  return formats.flatMap((format) => {
    if (format.samples.length === 0) return [`Format "${format.name}" has no sample.`]
    return format.samples.flatMap((sample) =>
      problemsOfSample(format, sample, reader).map(
        (problem) => `Format "${format.name}": "${sample.line}" ${problem}.`,
      ),
    )
  })
}
