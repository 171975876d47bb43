const hexDigit: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
/** Letters, digits and other characters after which a run would be part of a longer word. */
const continuesWord: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 127 || /[\w.-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const colon = 58
const maxDigits = 4
const minColons = 2

/**
 * The end of a run of groups of up to four hexadecimal digits separated by colons, as in `5c:50:15:36:bc:03` or `fe80::1`; 0 if no run starts here.
 * A run has at least two colons and a decimal digit, so that `a::b` in a program's names is not one.
 */
export const hexRunEnd = (bytes: Uint8Array, start: number, end: number): number => {
  let colons = 0
  let digits = 0
  let hasDecimal = false
  let position = start
  for (; position < end; position++) {
    const byte = bytes[position] ?? 0
    if (byte === colon) {
      colons++
      digits = 0
    } else if (hexDigit[byte] === 1) {
      if (++digits > maxDigits) return 0
      if (byte <= 57) hasDecimal = true
    } else break
  }
  // A colon at the end belongs to the sentence.
  if (bytes[position - 1] === colon && bytes[position - 2] !== colon) {
    position--
    colons--
  }
  const isCut = position < end && continuesWord[bytes[position] ?? 0] === 1
  return colons >= minColons && hasDecimal && !isCut ? position : 0
}
