/** A seeded source of random numbers: the same seed yields the same numbers on every machine. */
export type Random = {
  /** A number in [0, 1). */
  next(): number
}

/** Mixes the bits of a 32-bit word (the finaliser of MurmurHash3). */
const stir = (value: number): number => {
  let h = value >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** sfc32 (Doty-Humphrey), 128 bits of state, integer arithmetic only; `seed` is 0..2^53-1. */
export const createRandom = (seed: number): Random => {
  let a = stir(seed % 2 ** 32)
  let b = stir(Math.floor(seed / 2 ** 32) ^ 0x9e3779b9)
  let c = stir(a ^ b ^ 0x243f6a88)
  let counter = 1
  const next32 = (): number => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return t >>> 0
  }
  for (let i = 0; i < 12; i++) next32()
  return { next: () => next32() / 2 ** 32 }
}

/** A random number in [0, 1) for each pair of integers: the same for the same seed and pair, in any order of calls. */
export const createEdgeNoise = (seed: number): ((from: number, to: number) => number) => {
  const [low, high] = [stir(seed % 2 ** 32), stir(Math.floor(seed / 2 ** 32) ^ 0x9e3779b9)]
  return (from, to) =>
    stir(stir(low ^ Math.imul(from + 1, 0x27d4eb2f)) ^ high ^ Math.imul(to + 1, 0x165667b1)) / 2 ** 32
}
