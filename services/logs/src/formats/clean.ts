/** Escape sequences of ECMA-48: colours, cursor movement, and operating system commands such as titles and links. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are control characters
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g

/** A line without its line end's carriage return and without escape sequences. */
export const cleanLine = (line: string): string => {
  const body = line.endsWith('\r') ? line.slice(0, -1) : line
  return body.includes('\x1b') ? body.replace(escapes, '') : body
}

/** The most UTF-8 bytes of a text that are kept. */
export const maxTextBytes = 1024 * 1024
