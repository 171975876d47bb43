/**
 * A document's length in words, stored in one byte: exact below 64, then in steps of about 6 %. All parts of the engine rank by the stored
 * length, so that a score does not depend on where a document is stored.
 */
const exactLengths = 64
const growth = 1.06

export const lengthOfCode: Float64Array = Float64Array.from({ length: 256 }, (_, code) =>
  code < exactLengths ? code : Math.round(exactLengths * growth ** (code - exactLengths)),
)

export const codeOfLength = (words: number): number => {
  if (words < exactLengths) return words
  return Math.min(255, exactLengths + Math.floor(Math.log(words / exactLengths) / Math.log(growth) + 1e-9))
}
