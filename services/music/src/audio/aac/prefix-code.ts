import type { BitReader } from '../bit-reader.ts'
import { invalidAudio } from '../refusal.ts'
import type { CodeTable } from './code-tables.ts'

/** Bits that are looked up at once; longer codewords are searched length by length. */
const lookupBits = 9
/** An entry of the table is a symbol and the length of its codeword; 0 for a longer one. */
const lengthBits = 5

/** Creates a function that reads one symbol of a prefix code. */
export const createPrefixDecoder = ({ counts, symbols }: CodeTable): ((bits: BitReader) => number) => {
  const longest = counts.length
  const lookup = new Uint16Array(1 << lookupBits)
  // By length: the first codeword, and the position of its symbol.
  const firstCode = new Uint32Array(longest + 1)
  const firstSymbol = new Uint32Array(longest + 1)
  let [code, position] = [0, 0]
  for (let length = 1; length <= longest; length++) {
    const count = counts[length - 1] ?? 0
    firstCode[length] = code
    firstSymbol[length] = position
    for (let i = 0; i < count && length <= lookupBits; i++) {
      const entry = ((symbols[position + i] ?? 0) << lengthBits) | length
      const shift = lookupBits - length
      lookup.fill(entry, (code + i) << shift, (code + i + 1) << shift)
    }
    code = (code + count) << 1
    position += count
  }
  return (bits) => {
    const entry = lookup[bits.peek(lookupBits)] ?? 0
    if (entry !== 0) {
      bits.skip(entry & ((1 << lengthBits) - 1))
      return entry >> lengthBits
    }
    const word = bits.peek(longest)
    for (let length = lookupBits + 1; length <= longest; length++) {
      const ordinal = (word >> (longest - length)) - (firstCode[length] ?? 0)
      if (ordinal < 0 || ordinal >= (counts[length - 1] ?? 0)) continue
      bits.skip(length)
      return symbols[(firstSymbol[length] ?? 0) + ordinal] ?? 0
    }
    throw invalidAudio('The AAC stream has an unknown codeword.')
  }
}
