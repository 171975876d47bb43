import { keywordsOf } from '../diagnose/keywords.ts'
import type { LocalAccess } from '../local-files/local-files.ts'
import { readEnd } from './read-end.ts'
import { type Matched, matchOf, recencyOf, scoreOf, sizeScoreOf } from './score.ts'
import { type FoundFile, type WalkOptions, walkLogs } from './walk.ts'

export type ScannedFile = FoundFile & { score: number; matches: string[] }
export type Scan = { files: ScannedFile[]; isComplete: boolean }

export type ScanOptions = WalkOptions & {
  roots: readonly string[]
  /** The user's description of the problem. */
  query: string | undefined
  maxResults: number
  open: LocalAccess['open']
  now: number
  signal: AbortSignal
}

/** The maximum number of files that are opened, best first by age, size and path, and the bytes that are searched at the end of each. */
const maxOpened = 300
const endBytes = 64 * 1024

const matchesIn = (text: string, keywords: readonly string[], where: Matched['where']): Matched[] => {
  const lower = text.toLowerCase()
  return keywords.filter((keyword) => lower.includes(keyword)).map((keyword) => ({ keyword, where }))
}

/** Readable log files, the best match first. */
export const scanFiles = async (options: ScanOptions): Promise<Scan> => {
  const { roots, query, maxResults, open, now, signal, ...walk } = options
  const { files, isComplete } = await walkLogs(roots, signal, walk)
  const keywords = query === undefined ? [] : keywordsOf(query)
  const hasQuery = query !== undefined && query.trim() !== ''
  const scored = (file: FoundFile, matched: readonly Matched[]): ScannedFile => {
    const match = hasQuery ? matchOf(keywords, matched) : undefined
    const score = scoreOf({ recency: recencyOf(file.modifiedAt, now), size: sizeScoreOf(file.size), match })
    return { ...file, score, matches: matched.map(({ keyword }) => keyword) }
  }
  const best = (list: readonly ScannedFile[]) =>
    list.toSorted((a, b) => b.score - a.score || a.path.localeCompare(b.path))
  const candidates = best(files.map((file) => scored(file, matchesIn(file.path, keywords, 'path'))))
  const readable: ScannedFile[] = []
  for (const file of candidates.slice(0, Math.max(maxOpened, maxResults))) {
    signal.throwIfAborted()
    // Without a query, the order is final already.
    if (!hasQuery && readable.length >= maxResults) break
    const content = await readEnd(open, file.path, endBytes)
    if (content === undefined) continue
    const inPath = matchesIn(file.path, keywords, 'path')
    const rest = keywords.filter((keyword) => !inPath.some((matched) => matched.keyword === keyword))
    readable.push(scored(file, [...inPath, ...matchesIn(content, rest, 'content')]))
  }
  return { files: best(readable).slice(0, maxResults), isComplete }
}
