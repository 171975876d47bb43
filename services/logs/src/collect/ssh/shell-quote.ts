/**
 * Quotes a text as one word of a POSIX shell: within apostrophes no character is special, and an apostrophe is written between them. Throws
 * RangeError for a NUL, which no argument can have.
 */
export const shellWord = (text: string): string => {
  if (text.includes('\0')) throw new RangeError('An argument cannot have a NUL.')
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A command line of a program and its arguments. */
export const shellCommand = (words: readonly string[]): string => words.map(shellWord).join(' ')
