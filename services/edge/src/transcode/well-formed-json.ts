/** A pair of surrogates, a surrogate alone, or any other escape, so that the digits after an escaped backslash are none. */
const escapes = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g
/** Some editors and shells begin each text with one; a parser may ignore it (RFC 8259, 8.1). */
const byteOrderMark = '\uFEFF'
const mayHaveSurrogates = /\\u[dD][89a-fA-F]/

/**
 * JSON text without a byte order mark, and with U+FFFD in place of escaped surrogates that stand alone. They are no characters: databases and other processes replace
 * them, and an answer would then differ from what was stored. Decoded UTF-8 has them as escapes only.
 */
export const wellFormedJson = (text: string): string => {
  const unmarked = text.startsWith(byteOrderMark) ? text.slice(1) : text
  return mayHaveSurrogates.test(unmarked)
    ? unmarked.replace(escapes, (found) => (found.length === 6 && mayHaveSurrogates.test(found) ? '\uFFFD' : found))
    : unmarked
}
