import { basename } from 'node:path'
import type { LogFormat } from '../format.ts'
import { createChecker } from '../user/checker.ts'
import { isFaulty, readFormat } from '../user/read-format.ts'

export type Report = { lines: string[]; isGood: boolean }

/** What is to be said of a format file: whether it is valid, and how each of its samples came out. */
export const testFormat = async (path: string, content: string, earlier: readonly LogFormat[]): Promise<Report> => {
  const read = readFormat(content, basename(path))
  if (isFaulty(read)) return { lines: [read.problem], isGood: false }
  await using checker = createChecker()
  const { format } = read
  const { problems, samples } = await checker.check(
    format,
    earlier.filter(({ name }) => name !== format.name),
  )
  const outcomes = samples.flatMap(({ line, problems: wrong }) =>
    wrong.length === 0 ? [`  right  ${line}`] : [`  WRONG  ${line}`, ...wrong.map((problem) => `         ${problem}`)],
  )
  const isGood = problems.length === 0
  const verdict = isGood ? `Format "${format.name}" is valid.` : `Format "${format.name}" is not used.`
  return { lines: [verdict, ...(samples.length > 0 ? outcomes : problems.map((problem) => `  ${problem}`))], isGood }
}
