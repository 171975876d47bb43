/** Escape sequences of ECMA-48: colours, cursor movement, and operating system commands such as titles and links. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are control characters
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g

/** Escape sequences as JSON writes them in a string, after an even number of backslashes: `\u001b[31m`. */
const writtenEscapes = /(?<!\\)((?:\\\\)*)\\u001b(?:\[[0-?]*[ -/]*[@-~]|[@-Z^_])/gi

/** The message of a journal's JSON that is not all printable, as `journalctl -o json` writes it: its bytes as numbers. */
const byteMessage = /("MESSAGE"\s*:\s*)\[([\d\s,]+)\]/

const decodeBytes = (line: string): string =>
  line.replace(byteMessage, (written: string, key: string, list: string) => {
    const numbers = list.split(',').map(Number)
    if (numbers.some((number) => number > 255)) return written
    return key + JSON.stringify(Buffer.from(numbers).toString().replace(escapes, ''))
  })

/** An object's line with the text that its strings stand for: bytes decoded, colours removed. Both would hide words from searches. */
const cleanObject = (line: string): string => {
  const decoded = line.includes('"MESSAGE"') ? decodeBytes(line) : line
  return decoded.includes('\\u001') ? decoded.replace(writtenEscapes, '$1') : decoded
}

/** A line without its line end's carriage return and without escape sequences. */
export const cleanLine = (line: string): string => {
  const body = line.endsWith('\r') ? line.slice(0, -1) : line
  const clean = body.includes('\x1b') ? body.replace(escapes, '') : body
  return clean.charCodeAt(0) === 123 ? cleanObject(clean) : clean
}

/** The most UTF-8 bytes of a text that are kept. */
export const maxTextBytes = 1024 * 1024
