import { clearHeader, type Header, type LineReader } from './header.ts'

/**
 * Reads a JSON object that is written over several lines, which has the time and the level that it has on one line. Fills the header and returns
 * the format's name; undefined where the lines are none.
 */
export const readObject = (
  reader: LineReader,
  [first, ...others]: readonly string[],
  header: Header,
): string | undefined => {
  if (first !== '{' || others.at(-1) !== '}') return undefined
  clearHeader(header)
  return reader.read(`{\n${others.join('\n')}`, header)
}
