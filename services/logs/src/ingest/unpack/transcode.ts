import type { Chunks } from './peeked.ts'

/** UTF-16, as Windows writes it, as UTF-8. Half a character at the end, or one that is none, becomes U+FFFD. */
export async function* toUtf8(content: Chunks, encoding: 'utf16le' | 'utf16be'): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding === 'utf16le' ? 'utf-16le' : 'utf-16be')
  for await (const chunk of content) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}
