/**
 * A word that a POSIX shell takes for exactly this text, whatever is in it: within apostrophes nothing means anything, and an apostrophe
 * is written between them. Throws RangeError for a NUL, which no argument can have.
 */
export const shellWord = (text: string): string => {
  if (text.includes('\0')) throw new RangeError('An argument cannot have a NUL.')
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A command line of a program and its arguments. */
export const shellCommand = (words: readonly string[]): string => words.map(shellWord).join(' ')
