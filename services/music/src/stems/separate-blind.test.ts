import { describe, expect, test } from 'vitest'
import { playMix } from '../../test/mixed-pieces.ts'
import { arrangements, type PieceOfParts, partNames, playParts, siSdr } from '../../test/stem-pieces.ts'
import { type Block, blockLength } from '../audio/pcm.ts'
import { encodeSamples, openStoredAudio, type StoredAudio } from '../audio/stored-audio.ts'
import { createRandom } from '../dsp/random.ts'
import { createExactStems } from './exact-stems.ts'
import { separateBlind } from './separate-blind.ts'
import { stemNames } from './stem-names.ts'

const stored = (bytes: Uint8Array, sampleRate: number, channels: number): StoredAudio =>
  openStoredAudio(
    { size: bytes.length, read: async (at, count) => bytes.subarray(at, at + count) },
    { sampleRate, channels },
  )

const separate = async (block: Block, sampleRate: number, signal = new AbortController().signal) => {
  const bytes = encodeSamples(block)
  const audio = stored(bytes, sampleRate, block.length)
  const exact = createExactStems(audio)
  const progress: number[] = []
  const chunks: Uint8Array[][] = stemNames.map(() => [])
  const estimates = separateBlind(audio, { signal, onProgress: (share) => progress.push(share) })
  for await (const parts of exact.encoded(estimates)) parts.forEach((part, index) => void chunks[index]?.push(part))
  return { bytes, files: chunks.map((parts) => Buffer.concat(parts)), shares: exact.energyShares(), progress }
}

const sumOf = (files: readonly Buffer[]): number[] =>
  Array.from({ length: (files[0]?.length ?? 0) / 3 }, (_, i) =>
    files.reduce((sum, file) => sum + file.readIntLE(3 * i, 3), 0),
  )

const integersOf = (bytes: Uint8Array): number[] => sumOf([Buffer.from(bytes)])

const noise = (frames: number, channels: number, gain: number): Block => {
  const random = createRandom(9)
  return Array.from({ length: channels }, () =>
    Float32Array.from({ length: frames }, () => gain * (2 * random.next() - 1)),
  )
}

describe('separation without a model', () => {
  test.each<[string, Block, number]>([
    ['of noise at full scale', noise(30_011, 2, 1), 22_050],
    ['of clipped noise', noise(20_001, 2, 30), 16_000],
    ['in mono at 8 kHz', noise(9_999, 1, 0.3), 8_000],
    ['at 96 kHz', noise(100_001, 2, 0.1), 96_000],
    ['of one frame less than a hop', noise(1_023, 2, 0.5), 44_100],
    ['of a constant', [new Float32Array(30_000).fill(0.5), new Float32Array(30_000).fill(-0.5)], 44_100],
    ['of an impulse', [Float32Array.from({ length: 25_000 }, (_, i) => (i === 12_345 ? 1 : 0))], 44_100],
  ])('the stems %s sum to the piece in every sample', async (_, block, rate) => {
    const { bytes, files, shares } = await separate(block, rate)
    expect(sumOf(files)).toEqual(integersOf(bytes))
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
  })

  test('silence is silent in all stems, and its energy is counted as other', async () => {
    const { bytes, files, shares } = await separate([new Float32Array(20_000), new Float32Array(20_000)], 22_050)
    for (const file of files) expect(file.equals(Buffer.from(bytes))).toBe(true)
    expect(shares).toEqual([0, 0, 0, 1])
  })

  const short = { seconds: 8, sampleRate: 22_050 } as const
  test.each<[string, PieceOfParts[]]>([
    ['arrangements in stereo', arrangements.slice(1, 3).map((one) => playParts({ ...one, ...short }))],
    ['arrangements in mono', arrangements.slice(1, 3).map((one) => playParts({ ...one, ...short, channels: 1 }))],
    ['studio mixes in stereo', [0, 22].map((seed) => playMix({ seed, seconds: 8, channels: 2 }))],
    ['studio mixes in mono', [0, 22].map((seed) => playMix({ seed, seconds: 8, channels: 1 }))],
  ])('each stem of %s is at least 1 dB better than the mixture, on average', async (_, pieces) => {
    const gains: number[][] = []
    for (const { parts, mixture, sampleRate } of pieces) {
      const { files } = await separate(mixture, sampleRate)
      const stems = await Promise.all(
        files.map((file) => stored(file, sampleRate, mixture.length).read(0, blockLength(mixture))),
      )
      gains.push(partNames.map((name, index) => siSdr(stems[index] ?? [], parts[name]) - siSdr(mixture, parts[name])))
    }
    for (const [index, name] of partNames.entries()) {
      const mean = gains.reduce((sum, row) => sum + (row[index] ?? 0), 0) / gains.length
      expect(mean, name).toBeGreaterThan(1)
    }
  })

  test('a part alone is in its own stem', async () => {
    const [, arrangement] = arrangements
    if (!arrangement) throw new Error('there is no arrangement')
    const { parts, sampleRate } = playParts({ ...arrangement, ...short })
    for (const [index, name] of partNames.entries()) {
      const { shares } = await separate(parts[name], sampleRate)
      expect(shares.indexOf(Math.max(...shares)), `${name}: ${shares.join(', ')}`).toBe(index)
    }
  })

  test('a piece longer than a segment is separated without gaps, with growing progress', async () => {
    const { bytes, files, progress } = await separate(noise(47 * 8_000, 1, 0.3), 8_000)
    expect(sumOf(files)).toEqual(integersOf(bytes))
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toBe(1)
  })

  test('the same piece yields the same bytes', async () => {
    const block = noise(30_000, 2, 0.3)
    expect((await separate(block, 22_050)).files).toEqual((await separate(block, 22_050)).files)
  })

  test('a cancelled separation ends with the reason', async () => {
    const leave = new AbortController()
    const separating = separate(noise(400_000, 2, 0.1), 44_100, leave.signal)
    setImmediate(() => leave.abort(new Error('left')))
    await expect(separating).rejects.toThrow('left')
  })
})
