import type { Chunks } from './peeked.ts'

/** Converts UTF-16, as Windows writes it, to UTF-8. An incomplete or invalid character becomes U+FFFD. */
export async function* toUtf8(content: Chunks, encoding: 'utf16le' | 'utf16be'): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding === 'utf16le' ? 'utf-16le' : 'utf-16be')
  for await (const chunk of content) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

const lineFeed = 10
const carriageReturn = 13

const feedsFor = (chunk: Uint8Array): Buffer => {
  const changed = Buffer.from(chunk)
  for (let at = changed.indexOf(carriageReturn); at >= 0; at = changed.indexOf(carriageReturn, at + 1))
    changed[at] = lineFeed
  return changed
}

/**
 * Converts carriage returns to line feeds in a text that has only carriage returns as line ends, as some devices write. From the first line
 * feed on the text is unchanged: a program may draw its progress with carriage returns before its first line ends.
 */
export async function* withLineFeeds(content: Chunks): AsyncGenerator<Uint8Array> {
  let ends: 'unknown' | 'returns' | 'feeds' = 'unknown'
  for await (const chunk of content) {
    if (chunk.length === 0) continue
    const feed = chunk.indexOf(lineFeed)
    if (ends === 'unknown') {
      const isReturn = feed < 0 && chunk.includes(carriageReturn)
      ends = isReturn ? 'returns' : 'feeds'
    }
    if (ends === 'returns' && feed >= 0) ends = 'feeds'
    yield ends === 'returns' ? feedsFor(chunk) : chunk
  }
}
