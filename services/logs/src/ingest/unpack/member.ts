import type { Chunks } from './peeked.ts'

/** A file of an archive as a stream, and when it was last modified; unread content is skipped. */
export type Member =
  | { path: string; content: Chunks; modified: number | undefined }
  /** A file that is not read: `reason` follows its name, as in "is encrypted". */
  | { path: string; skipped: string }

/** Archivers that store no times, or build reproducible archives, write earlier dates. */
const firstBelieved = Date.UTC(1990, 0)

/** When a file was last modified, in epoch milliseconds, if the archive states it. */
export const modifiedAt = (written: Date | undefined): number | undefined => {
  const time = written?.getTime() ?? Number.NaN
  return time >= firstBelieved ? time : undefined
}

/** The maximum number of files, folders and links in an archive. */
export const maxMembers = 10_000

/** Longer paths are truncated. */
const maxPathCharacters = 1_024

/**
 * A safe name for a member's path. It only names the source of entries; no file is written under it. Parent folders, roots and drives are
 * removed, and control characters replaced.
 */
export const safePath = (written: string): string => {
  const parts = written
    .slice(0, maxPathCharacters)
    .replace(/^[A-Za-z]:(?=[\\/])/, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    .replace(/[\u0000-\u001f\u007f]/g, '_')
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  return parts.length === 0 ? 'unnamed' : parts.join('/')
}
