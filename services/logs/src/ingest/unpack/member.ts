import type { Chunks } from './peeked.ts'

/** A file of an archive as it comes, and when it was last changed; what is not read of it is passed over. */
export type Member =
  | { path: string; content: Chunks; modified: number | undefined }
  /** One that is named and not read: `reason` goes after its name, as in "is encrypted". */
  | { path: string; skipped: string }

/** What packers write that keep no times, or make the same archive each time, is before. */
const firstBelieved = Date.UTC(1990, 0)

/** When a file was last changed, as epoch milliseconds, where the archive keeps it. */
export const modifiedAt = (written: Date | undefined): number | undefined => {
  const time = written?.getTime() ?? Number.NaN
  return time >= firstBelieved ? time : undefined
}

/** Files, folders, links: so many an archive may have. */
export const maxMembers = 10_000

/** Of a path, so many characters are kept. */
const maxPathCharacters = 1_024

/**
 * A member's path as a name, whatever it says: nothing is written under it, and it leads nowhere. Folders that go up, roots and drives are
 * left out, and control characters replaced.
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
