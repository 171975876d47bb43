import { type Block, blockLength } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import type { Estimates } from './separator.ts'
import { stemNames } from './stem-names.ts'

const fullScale = 8_388_608
const [lowest, highest] = [-fullScale, fullScale - 1]

const toInteger = (value: number): number => Math.max(lowest, Math.min(highest, Math.round(value * fullScale)))

/**
 * Four integers of 24 bits that sum to the mixture: estimates are rounded, and the last is what remains. If that would be
 * beyond full scale, the excess goes to the others, which together have room for it.
 */
const divide = (mixture: number, estimates: readonly number[], parts: Int32Array): void => {
  let rest = mixture
  for (const [index, estimate] of estimates.entries()) {
    const part = toInteger(estimate)
    parts[index] = part
    rest -= part
  }
  const last = Math.max(lowest, Math.min(highest, rest))
  parts[estimates.length] = last
  let excess = rest - last
  for (let index = 0; excess !== 0 && index < estimates.length; index++) {
    const part = parts[index] ?? 0
    const changed = Math.max(lowest, Math.min(highest, part + excess))
    parts[index] = changed
    excess -= changed - part
  }
}

/** Stored samples of the four stems for one stretch. */
export type ExactStems = readonly Uint8Array[]

/** Frames that are encoded at a time. */
const framesPerBlock = 65_536

/** Converts estimates to stored samples that sum to those of the piece, bit by bit, and measures the energy of each stem. */
export const createExactStems = (audio: StoredAudio) => {
  const energies = new Float64Array(stemNames.length)
  const parts = new Int32Array(stemNames.length)

  const encode = (mixture: Block, stems: Estimates['stems'], offset: number): ExactStems => {
    const { channels } = audio
    const length = blockLength(mixture)
    const bytes = stemNames.map(() => new Uint8Array(length * channels * 3))
    const estimates = stems.map(() => 0)
    for (const [index, channel] of mixture.entries()) {
      const sources = stems.map((stem) => stem[index] ?? new Float32Array(0))
      for (let frame = 0, at = index * 3; frame < length; frame++, at += channels * 3) {
        for (let stem = 0; stem < estimates.length; stem++) estimates[stem] = sources[stem]?.[offset + frame] ?? 0
        // Stored samples are multiples of 2^-23, which 32-bit floats represent exactly.
        divide((channel[frame] ?? 0) * fullScale, estimates, parts)
        for (let stem = 0; stem < parts.length; stem++) {
          const value = parts[stem] ?? 0
          const target = bytes[stem]
          if (!target) continue
          target[at] = value & 0xff
          target[at + 1] = (value >> 8) & 0xff
          target[at + 2] = (value >> 16) & 0xff
          energies[stem] = (energies[stem] ?? 0) + (value / fullScale) ** 2
        }
      }
    }
    return bytes
  }

  return {
    async *encoded(estimates: AsyncIterable<Estimates>): AsyncGenerator<ExactStems> {
      for await (const { start, stems } of estimates) {
        const length = blockLength(stems[0])
        for (let offset = 0; offset < length; offset += framesPerBlock)
          yield encode(await audio.read(start + offset, Math.min(framesPerBlock, length - offset)), stems, offset)
      }
    },
    /** Share of the energy of all stems, by stem; call when all have been encoded. In silence, all that remains is `other`. */
    energyShares(): number[] {
      const total = energies.reduce((sum, energy) => sum + energy, 0)
      if (total === 0) return stemNames.map((name) => (name === 'other' ? 1 : 0))
      return [...energies].map((energy) => energy / total)
    },
  }
}
