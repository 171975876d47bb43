import { checksumAt, oggChecksum } from '../src/audio/ogg-checksum.ts'

/** Ways to damage a file; each returns new bytes. */
const mutations: readonly ((bytes: Uint8Array, random: () => number) => Uint8Array)[] = [
  (bytes, random) => changed(bytes, random, 1 + Math.floor(random() * 20)),
  // Headers are short, so half of all changes would otherwise miss them.
  (bytes, random) => changed(bytes, random, 1 + Math.floor(random() * 4), 600),
  (bytes, random) => filled(bytes, random, () => Math.floor(random() * 256)),
  (bytes, random) => filled(bytes, random, () => 0xff),
  (bytes, random) => filled(bytes, random, () => 0),
  (bytes, random) => without(bytes, random),
  (bytes, random) => repeated(bytes, random),
  (bytes, random) => bytes.slice(0, Math.floor(random() * bytes.length)),
]

const changed = (bytes: Uint8Array, random: () => number, count: number, within = bytes.length): Uint8Array => {
  const result = Uint8Array.from(bytes)
  for (let i = 0; i < count; i++)
    result[Math.floor(random() * Math.min(within, result.length))] = Math.floor(random() * 256)
  return result
}

/** A random range of at most a thousand bytes. */
const rangeIn = (bytes: Uint8Array, random: () => number): [from: number, to: number] => {
  const from = Math.floor(random() * bytes.length)
  return [from, Math.min(bytes.length, from + 1 + Math.floor(random() * 1_000))]
}

const filled = (bytes: Uint8Array, random: () => number, value: () => number): Uint8Array => {
  const result = Uint8Array.from(bytes)
  const [from, to] = rangeIn(bytes, random)
  for (let at = from; at < to; at++) result[at] = value()
  return result
}

const without = (bytes: Uint8Array, random: () => number): Uint8Array => {
  const [from, to] = rangeIn(bytes, random)
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
}

const repeated = (bytes: Uint8Array, random: () => number): Uint8Array => {
  const [from, to] = rangeIn(bytes, random)
  return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
}

/** A damaged copy of a file, determined by the random numbers. */
export const mutated = (bytes: Uint8Array, random: () => number): Uint8Array =>
  mutations[Math.floor(random() * mutations.length)]?.(bytes, random) ?? bytes

/** The bytes with right checksums in all complete Ogg pages, as an attacker would send them. */
export const withChecksums = (bytes: Uint8Array): Uint8Array => {
  const result = Buffer.from(bytes)
  for (let at = result.indexOf('OggS'); at >= 0; at = result.indexOf('OggS', at + 4)) {
    const segments = result.subarray(at + 27, at + 27 + (result[at + 26] ?? 0))
    const page = result.subarray(at, at + 27 + segments.length + segments.reduce((sum, length) => sum + length, 0))
    if (page.length > 27) page.writeUInt32LE(oggChecksum(page), checksumAt)
  }
  return result
}
