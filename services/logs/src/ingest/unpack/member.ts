import type { Chunks } from './peeked.ts'

/** A file of an archive as it comes; what is not read of it is passed over. */
export type Member =
  | { path: string; content: Chunks }
  /** One that is named and not read: `reason` goes after its name, as in "is encrypted". */
  | { path: string; skipped: string }

/** Files, folders, links: so many an archive may have. */
export const mostMembers = 10_000

/** Of a path, so many characters are kept. */
const mostPathCharacters = 1_024

/**
 * A member's path as a name, whatever it says: nothing is written under it, and it leads nowhere. Folders that go up, roots and drives are
 * left out, and control characters replaced.
 */
export const safePath = (written: string): string => {
  const parts = written
    .slice(0, mostPathCharacters)
    .replace(/^[A-Za-z]:(?=[\\/])/, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    .replace(/[\u0000-\u001f\u007f]/g, '_')
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  return parts.length === 0 ? 'unnamed' : parts.join('/')
}
