import { exploredSeeds, randomFrom, runsFactor, runsOrWhole } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { decodeAll, fixture } from '../../test/audio-files.ts'
import { formatSamples } from '../../test/audio-formats.ts'
import { mutated, withChecksums } from '../../test/mutations.ts'
import { bytesInMemory } from './byte-source.ts'
import { audioLimits, ingestAudio } from './ingest.ts'
import { opusPacketFrames } from './opus-duration.ts'
import { blockLength } from './pcm.ts'
import { AudioRefused } from './refusal.ts'

/** Damaged copies of each file. */
const copies = runsOrWhole(3, 1_000)
const timeout = 180_000 * Math.max(1, runsFactor)
const maxSeconds = 30
/** Longest block that is passed on, which bounds the memory of all that reads uploads. */
const longestBlock = 65_536

/** Reads an upload to its end. Throws what ingesting throws. */
const ingest = async (bytes: Uint8Array) => {
  const { blocks } = await ingestAudio(bytesInMemory(bytes), { ...audioLimits, maxSeconds })
  let [frames, longest, hasOnlyNumbers] = [0, 0, true]
  for await (const block of blocks) {
    frames += blockLength(block)
    longest = Math.max(longest, blockLength(block))
    hasOnlyNumbers &&= block.every((channel) => channel.every((value) => Number.isFinite(value)))
  }
  return { frames, longest, hasOnlyNumbers }
}

/** Fails unless a file is refused with a reason, or decoded to no more than it holds. */
const check = async (bytes: Uint8Array, holds: (bytes: Uint8Array) => number, what: string) => {
  try {
    const { frames, longest, hasOnlyNumbers } = await ingest(bytes)
    expect(hasOnlyNumbers, what).toBe(true)
    expect(frames, what).toBeLessThanOrEqual(holds(bytes))
    expect(longest, what).toBeLessThanOrEqual(longestBlock)
  } catch (error) {
    if (!(error instanceof AudioRefused)) throw error
  }
}

describe('a damaged file', () => {
  test.each(formatSamples)(
    '$name is decoded to finite samples, no more than it holds, or rejected',
    { timeout },
    async ({ make, holds }) => {
      const bytes = await make()
      for (const seed of exploredSeeds(copies, copies)) {
        const damaged = mutated(bytes, randomFrom(seed))
        await check(damaged, holds, `seed ${seed}`)
        const repaired = withChecksums(damaged)
        if (Buffer.compare(damaged, repaired) !== 0) await check(repaired, holds, `seed ${seed}, with checksums`)
      }
    },
  )
})

/** Positions of the pages of an Ogg file. */
const pagesOf = (bytes: Uint8Array): number[] => {
  const file = Buffer.from(bytes)
  const pages: number[] = []
  for (let at = file.indexOf('OggS'); at >= 0; at = file.indexOf('OggS', at + 4)) pages.push(at)
  return pages
}

test('an Opus file without one of its pages has no more audio than its other packets hold', async () => {
  const bytes = Buffer.from(fixture('band.opus'))
  const [, , audio = 0, last = 0] = pagesOf(bytes)
  const rest = bytes.subarray(last)
  const packets = rest.subarray(27, 27 + (rest[26] ?? 0)).filter((length) => length < 255).length
  const { block } = await decodeAll(Buffer.concat([bytes.subarray(0, audio), rest]))
  expect(blockLength(block)).toBeGreaterThan(0)
  expect(blockLength(block)).toBeLessThanOrEqual(packets * 960)
})

test('a damaged Ogg page is dropped', async () => {
  const bytes = Buffer.from(fixture('band.ogg'))
  const [, , audio = 0] = pagesOf(bytes)
  bytes[audio + 1_000] = (bytes[audio + 1_000] ?? 0) ^ 0xff
  const whole = await decodeAll(fixture('band.ogg'))
  const frames = await decodeAll(bytes).then(
    ({ block }) => blockLength(block),
    () => 0,
  )
  expect(frames).toBeLessThan(blockLength(whole.block))
})

test.each([
  ['one frame of 20 ms', 0x78, 0, 960],
  ['two frames of 60 ms', 0x19, 0, 5_760],
  ['three frames of 2.5 ms', 0x83, 0x03, 360],
  ['more frames than a packet may have', 0x1b, 0x3f, 5_760],
])('the frames of an Opus packet are known from its first bytes: %s', (_, first, second, frames) => {
  expect(opusPacketFrames(first, second)).toBe(frames)
})
