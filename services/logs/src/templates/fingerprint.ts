import type { Pieces } from './form-pieces.ts'
import { wildcard } from './masking.ts'

/** A hash of a form that can be updated for wildcards in some positions in a few operations per position, without creating a text. */
export type Fingerprint = {
  /** 53 bits; the probability of a collision among 10 million forms is below 1 %. */
  readonly whole: number
  /** The fingerprint of the form with wildcards in some positions. */
  with: (positions: readonly number[]) => number
  /** The same with the positions included: another form may become equal by wildcards in other positions. */
  positions: (positions: readonly number[]) => number
  /** The fingerprint of the word in a position. */
  word: (position: number) => number
}

const seeds = [0x811c9dc5, 0x2545f491] as const

/** FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/). */
const hashOf = (text: string, seed: number): number => {
  let hash = seed | 0
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/** The contribution of a word in a position: the same word contributes differently in each position (steps of MurmurHash3's finaliser). */
const mixed = (hash: number, position: number): number => {
  let value = hash ^ Math.imul(position + 1, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) | 0
}

const joined = (high: number, low: number): number => (high >>> 11) * 2 ** 32 + (low >>> 0)

const wildcards = seeds.map((seed) => hashOf(wildcard, seed))

export const fingerprintOf = ({ words, gaps }: Pieces): Fingerprint => {
  const between = gaps.join('\0')
  const [low, high] = seeds.map((seed, half) => {
    const hashes = words.map((word) => hashOf(word, seed))
    const sum = hashes.reduce((total, hash, position) => (total + mixed(hash, position)) | 0, hashOf(between, seed))
    const wild = wildcards[half] ?? 0
    const change = (position: number) => mixed(wild, position) - mixed(hashes[position] ?? 0, position)
    return {
      sum,
      hashes,
      with: (positions: readonly number[]) =>
        positions.reduce((total, position) => (total + change(position)) | 0, sum),
      positions: (positions: readonly number[]) =>
        positions.reduce((total, position) => (total + change(position) + mixed(seed, position)) | 0, sum),
    }
  })
  if (!low || !high) throw new RangeError('A fingerprint has two halves.')
  return {
    whole: joined(high.sum, low.sum),
    with: (positions) => joined(high.with(positions), low.with(positions)),
    positions: (positions) => joined(high.positions(positions), low.positions(positions)),
    word: (position) => joined(high.hashes[position] ?? 0, low.hashes[position] ?? 0),
  }
}
