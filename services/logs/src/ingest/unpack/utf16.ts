/** Below this share of ASCII characters, white space included, a file needs a byte order mark. */
const minAsciiShare = 0.1
/** Zero low bytes, as some emoji have, are this much rarer than zero high bytes. */
const minRatio = 10
/** Shorter texts are ambiguous. */
const minCharacters = 4

// biome-ignore lint/suspicious/noControlCharactersInRegex: binary content has them
const noText = /[\0-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffd\ufffe\uffff]/

type Utf16 = 'utf16le' | 'utf16be'
const labels: Record<Utf16, string> = { utf16le: 'utf-16le', utf16be: 'utf-16be' }

const reads = (start: Uint8Array, encoding: Utf16): boolean => {
  try {
    const text = new TextDecoder(labels[encoding], { fatal: true }).decode(start, { stream: true })
    return !noText.test(text)
  } catch {
    return false
  }
}

/**
 * Detects the byte order of UTF-16 without a byte order mark from the first bytes of a file: the high byte of an ASCII character is zero,
 * and low bytes hardly ever are. Undefined for other content.
 */
export const utf16Of = (start: Uint8Array): Utf16 | undefined => {
  const zeros = [0, 0]
  for (let at = 0; at < start.length; at++) if (start[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const characters = start.length >> 1
  if (characters < minCharacters || Math.max(even, odd) < characters * minAsciiShare) return undefined
  if (Math.min(even, odd) * minRatio > Math.max(even, odd)) return undefined
  const encoding = odd > even ? 'utf16le' : 'utf16be'
  return reads(start, encoding) ? encoding : undefined
}
