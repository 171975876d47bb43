/** Hashes that differ in at most this many of their 64 bits belong to the same photo. */
export const maxDistance = 8

const setBits = (word: number): number => {
  let left = word - ((word >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const word = (hash: string, index: 0 | 1): number => Number.parseInt(hash.slice(index * 8, index * 8 + 8), 16)

/** Number of bits in which two hashes of 16 hex digits differ. */
export const distanceBetween = (a: string, b: string): number =>
  setBits(word(a, 0) ^ word(b, 0)) + setBits(word(a, 1) ^ word(b, 1))

/** Widths in bits of the bands that a hash is indexed by, from the first digit. With about as many bits as a million has, few hashes share a band. */
const widths = [22, 21, 21] as const

/** The bands of a hash. */
export const bandsOf = (hash: string): readonly [number, number, number] => {
  const value = BigInt(`0x${hash}`)
  const [, second, third] = widths.map(BigInt)
  const last = third ?? 0n
  const middle = second ?? 0n
  return [
    Number(value >> (middle + last)),
    Number(BigInt.asUintN(Number(middle), value >> last)),
    Number(BigInt.asUintN(Number(last), value)),
  ]
}

/**
 * How far a band may be from that of a similar hash. Multi-index hashing (Norouzi 2014): if each of the three bands of two hashes differed in more than
 * two bits, the hashes would differ in at least nine. So every hash within eight bits is found.
 */
const radius = 2

/** All values of a band that differ from one in at most two bits. */
const around = (value: number, width: number): readonly number[] => {
  const found = new Set([value])
  for (let step = 0; step < radius; step++)
    for (const known of [...found]) for (let bit = 0; bit < width; bit++) found.add(known ^ (1 << bit))
  return [...found]
}

/** For each band, the values that a hash within the distance has in at least one of them: 718 together. */
export const probesFor = (hash: string): readonly (readonly number[])[] =>
  bandsOf(hash).map((value, band) => around(value, widths[band] ?? 0))
