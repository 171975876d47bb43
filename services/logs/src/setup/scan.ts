import { keywordsOf } from '../diagnose/keywords.ts'
import type { LocalAccess } from '../local-files/local-files.ts'
import { readEnd } from './read-end.ts'
import { type Matched, matchOf, recencyOf, scoreOf, sizeScoreOf } from './score.ts'
import { type FoundFile, type WalkOptions, walkLogs } from './walk.ts'

export type ScannedFile = FoundFile & { score: number; matches: string[] }
export type Scan = { files: ScannedFile[]; isComplete: boolean }

export type ScanOptions = WalkOptions & {
  roots: readonly string[]
  /** The problem in words. */
  query: string | undefined
  maxResults: number
  open: LocalAccess['open']
  now: number
  signal: AbortSignal
}

/** So many of the best by age, size and path are opened, and of each so many bytes are looked through. */
const maxOpened = 300
const endBytes = 64 * 1024

const matchesIn = (text: string, keywords: readonly string[], where: Matched['where']): Matched[] => {
  const lower = text.toLowerCase()
  return keywords.filter((keyword) => lower.includes(keyword)).map((keyword) => ({ keyword, where }))
}

/** Log files that can be read, the best first. */
export const scanFiles = async (options: ScanOptions): Promise<Scan> => {
  const { roots, query, maxResults, open, now, signal, ...walk } = options
  const { files, isComplete } = await walkLogs(roots, signal, walk)
  const keywords = query === undefined ? [] : keywordsOf(query)
  const isAsked = query !== undefined && query.trim() !== ''
  const scored = (file: FoundFile, matched: readonly Matched[]): ScannedFile => {
    const match = isAsked ? matchOf(keywords, matched) : undefined
    const score = scoreOf({ recency: recencyOf(file.modifiedAt, now), size: sizeScoreOf(file.size), match })
    return { ...file, score, matches: matched.map(({ keyword }) => keyword) }
  }
  const best = (list: readonly ScannedFile[]) =>
    list.toSorted((a, b) => b.score - a.score || a.path.localeCompare(b.path))
  const candidates = best(files.map((file) => scored(file, matchesIn(file.path, keywords, 'path'))))
  const readable: ScannedFile[] = []
  for (const file of candidates.slice(0, Math.max(maxOpened, maxResults))) {
    signal.throwIfAborted()
    // Without a query the order stands already.
    if (!isAsked && readable.length >= maxResults) break
    const content = await readEnd(open, file.path, endBytes)
    if (content === undefined) continue
    const inPath = matchesIn(file.path, keywords, 'path')
    const rest = keywords.filter((keyword) => !inPath.some((matched) => matched.keyword === keyword))
    readable.push(scored(file, [...inPath, ...matchesIn(content, rest, 'content')]))
  }
  return { files: best(readable).slice(0, maxResults), isComplete }
}
