/** A pair of surrogates, a surrogate alone, or any other escape, so that the digits after an escaped backslash are none. */
const escapes = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g
const mayHaveSurrogates = /\\u[dD][89a-fA-F]/

/**
 * JSON text with U+FFFD in place of escaped surrogates that stand alone. They are no characters: databases and other processes replace
 * them, and an answer would then differ from what was stored. Decoded UTF-8 has them as escapes only.
 */
export const wellFormedJson = (text: string): string =>
  mayHaveSurrogates.test(text)
    ? text.replace(escapes, (found) => (found.length === 6 && mayHaveSurrogates.test(found) ? '\uFFFD' : found))
    : text
