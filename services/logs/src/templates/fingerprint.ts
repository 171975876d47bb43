import type { Pieces } from './form-pieces.ts'
import { wildcard } from './masking.ts'

/** A number for a form, and for what it becomes with wildcards in some places, which costs a few steps a place and no text. */
export type Fingerprint = {
  /** 53 bits; those of ten thousand million forms are all different in all likelihood but one in two hundred. */
  readonly whole: number
  /** Of the form with wildcards in some places. */
  with: (places: readonly number[]) => number
  /** Of the same, and of which places they are: another form may become the same by wildcards in others. */
  places: (places: readonly number[]) => number
  /** Of the word in a place. */
  word: (place: number) => number
}

const seeds = [0x811c9dc5, 0x2545f491] as const

/** FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/). */
const hashOf = (text: string, seed: number): number => {
  let hash = seed | 0
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/** What a word adds to a form in a place: the same word in another place adds something else (steps of MurmurHash3's finaliser). */
const mixed = (hash: number, place: number): number => {
  let value = hash ^ Math.imul(place + 1, 0x9e3779b1)
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
    const sum = hashes.reduce((total, hash, place) => (total + mixed(hash, place)) | 0, hashOf(between, seed))
    const wild = wildcards[half] ?? 0
    const change = (place: number) => mixed(wild, place) - mixed(hashes[place] ?? 0, place)
    return {
      sum,
      hashes,
      with: (places: readonly number[]) => places.reduce((total, place) => (total + change(place)) | 0, sum),
      places: (places: readonly number[]) =>
        places.reduce((total, place) => (total + change(place) + mixed(seed, place)) | 0, sum),
    }
  })
  if (!low || !high) throw new RangeError('A fingerprint has two halves.')
  return {
    whole: joined(high.sum, low.sum),
    with: (places) => joined(high.with(places), low.with(places)),
    places: (places) => joined(high.places(places), low.places(places)),
    word: (place) => joined(high.hashes[place] ?? 0, low.hashes[place] ?? 0),
  }
}
