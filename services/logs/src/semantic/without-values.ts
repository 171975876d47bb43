/** Variable parts of lines and their replacements, applied in this order: an address contains numbers. */
const masks: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, 'id'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, 'address'],
  [/\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{0,4}\b/gi, 'address'],
  [/\b0x[0-9a-f]+\b/gi, 'number'],
  [/\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi, 'id'],
  [/\d+(?:[.,:]\d+)*/g, '0'],
]

/** The beginning of a text carries its meaning; a model reads little more. */
const maxCharacters = 512

/** A text without its variable parts, so that lines of one kind have the same text and are computed once. */
export const withoutValues = (text: string): string => {
  let masked = text.slice(0, maxCharacters)
  for (const [pattern, word] of masks) masked = masked.replace(pattern, word)
  return masked.replace(/\s+/g, ' ').trim()
}
