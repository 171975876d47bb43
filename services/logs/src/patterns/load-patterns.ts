import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import { isBuiltIn, libraryPatterns } from './library/mod.ts'
import type { LogPattern } from './pattern.ts'
import { type PatternOverride, readUserPatterns } from './user-pattern.ts'

export type PatternProblem = { file: string; problem: string }

/** All patterns that are to be in force, and what of a user's files cannot be used. */
export type LoadedPatterns = {
  patterns: readonly LogPattern[]
  /** Where those come from that are not built in, and those that are built in but changed: file by tag. */
  files: ReadonlyMap<string, string>
  problems: readonly PatternProblem[]
}

const fileEndings: readonly string[] = ['.yaml', '.yml', '.json']
const maxFiles = 100
const maxFileBytes = 256 * 1024
const maxPatterns = 500

type Read = { file: string; patterns: LogPattern[]; overrides: PatternOverride[]; problems: string[] }

const readFolder = async (directory: string): Promise<Read[]> => {
  const names = (await readdir(directory).catch(() => []))
    .filter((name) => fileEndings.includes(extname(name).toLowerCase()))
    .toSorted()
  const nothing = (file: string, problem: string): Read => ({ file, patterns: [], overrides: [], problems: [problem] })
  const read = names.slice(0, maxFiles).map(async (file): Promise<Read> => {
    try {
      const { size } = await stat(join(directory, file))
      if (size > maxFileBytes) return nothing(file, `it is larger than ${maxFileBytes / 1024} KB`)
      return { file, ...readUserPatterns(await readFile(join(directory, file), 'utf8')) }
    } catch (error) {
      return nothing(file, `it cannot be read: ${messageOf(error)}`)
    }
  })
  const left = names.slice(maxFiles).map((file) => nothing(file, `there may be ${maxFiles} files; it is not read`))
  return [...(await Promise.all(read)), ...left]
}

/**
 * The built-in patterns with the overrides of a user's files, and the user's own after them. A folder that is not there is empty. A file, a
 * pattern or an override with a mistake is told of and left out.
 */
export const loadPatterns = async (directory: string): Promise<LoadedPatterns> => {
  const read = await readFolder(directory)
  const problems = read.flatMap(({ file, problems: found }) => found.map((problem) => ({ file, problem })))
  const files = new Map<string, string>()
  const overrides = new Map<string, PatternOverride>()
  for (const { file, overrides: given } of read) {
    for (const override of given) {
      if (isBuiltIn(override.tag)) {
        overrides.set(override.tag, override)
        files.set(override.tag, file)
      } else problems.push({ file, problem: `overrides: there is no built-in pattern "${override.tag}"` })
    }
  }
  const own: LogPattern[] = []
  for (const { file, patterns } of read) {
    for (const pattern of patterns) {
      const { tag } = pattern
      const problem = isBuiltIn(tag)
        ? 'is built in; change it among overrides'
        : files.has(tag)
          ? 'is there twice'
          : own.length >= maxPatterns
            ? `is past the ${maxPatterns} that there may be`
            : undefined
      if (problem !== undefined) problems.push({ file, problem: `patterns: "${tag}" ${problem}` })
      else {
        own.push(pattern)
        files.set(tag, file)
      }
    }
  }
  const library = libraryPatterns.flatMap((pattern) => {
    const override = overrides.get(pattern.tag)
    if (override?.off) return []
    return [override?.severity === undefined ? pattern : { ...pattern, severity: override.severity }]
  })
  return { patterns: [...library, ...own], files, problems }
}
