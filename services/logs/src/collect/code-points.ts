/** Ranks surrogates after all other code units, as the characters that they encode. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Orders texts by code point, as the databases do. */
export const compareCodePoints = (left: string, right: string): number => {
  const shorter = Math.min(left.length, right.length)
  for (let at = 0; at < shorter; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}
