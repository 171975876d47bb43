import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { messageOf } from '@trellis/kit/errors'
import { isBuiltIn, libraryPatterns } from './library/mod.ts'
import type { LogPattern } from './pattern.ts'
import { type PatternOverride, readUserPatterns } from './user-pattern.ts'

export type PatternProblem = { file: string; problem: string }

/** All patterns to use, and the problems of a user's files. */
export type LoadedPatterns = {
  patterns: readonly LogPattern[]
  /** The file of each tag that a user added or overrode. */
  files: ReadonlyMap<string, string>
  problems: readonly PatternProblem[]
}

const fileEndings: readonly string[] = ['.yaml', '.yml', '.json']
const maxFiles = 100
const maxFileBytes = 256 * 1024
const maxPatterns = 500

type ReadFile = { file: string; patterns: LogPattern[]; overrides: PatternOverride[]; problems: string[] }

const readFolder = async (directory: string): Promise<ReadFile[]> => {
  const names = (await readdir(directory).catch(() => []))
    .filter((name) => fileEndings.includes(extname(name).toLowerCase()))
    .toSorted()
  const unreadable = (file: string, problem: string): ReadFile => ({
    file,
    patterns: [],
    overrides: [],
    problems: [problem],
  })
  const read = names.slice(0, maxFiles).map(async (file): Promise<ReadFile> => {
    try {
      const { size } = await stat(join(directory, file))
      if (size > maxFileBytes) return unreadable(file, `is larger than ${maxFileBytes / 1024} KB`)
      return { file, ...readUserPatterns(await readFile(join(directory, file), 'utf8')) }
    } catch (error) {
      return unreadable(file, `cannot be read: ${messageOf(error)}`)
    }
  })
  const surplus = names
    .slice(maxFiles)
    .map((file) => unreadable(file, `was not read: at most ${maxFiles} files are allowed`))
  return [...(await Promise.all(read)), ...surplus]
}

/**
 * The built-in patterns with a user's overrides, followed by the user's own. A missing folder counts as empty. Files, patterns and overrides with
 * mistakes are reported and omitted.
 */
export const loadPatterns = async (directory: string): Promise<LoadedPatterns> => {
  const read = await readFolder(directory)
  const problems = read.flatMap(({ file, problems: found }) => found.map((problem) => ({ file, problem })))
  const files = new Map<string, string>()
  const overrides = new Map<string, PatternOverride>()
  for (const { file, overrides: found } of read) {
    for (const override of found) {
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
        ? 'is built in; change it under overrides'
        : files.has(tag)
          ? 'is defined twice'
          : own.length >= maxPatterns
            ? `exceeds the maximum of ${maxPatterns} patterns`
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
