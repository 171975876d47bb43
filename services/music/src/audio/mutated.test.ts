import { describe, expect, test } from 'vitest'
import { exploredSeeds, randomFrom } from '../../../../test/support/exploration.ts'
import { decodeAll, fixture, fixturePiece, wavOf } from '../../test/audio-files.ts'
import { mutated, withChecksums } from '../../test/mutations.ts'
import { bytesInMemory } from './byte-source.ts'
import { audioLimits, ingestAudio } from './ingest.ts'
import { opusPacketFrames } from './opus-duration.ts'
import { blockLength } from './pcm.ts'

/** Damaged copies of each file in the default run; TEST_RUNS_FACTOR=250 makes it a thousand. */
const copies = 4
const maxSeconds = 30

const files: readonly [string, () => Uint8Array | Promise<Uint8Array>][] = [
  ['WAV', () => wavOf(fixturePiece(), 22_050)],
  ['MP3', () => fixture('band.mp3')],
  ['FLAC', () => fixture('band.flac')],
  ['Ogg FLAC', () => fixture('band.oga')],
  ['Ogg Vorbis', () => fixture('band.ogg')],
  ['Ogg Opus', () => fixture('band.opus')],
  ['AAC', () => fixture('band.m4a')],
  ['AAC with noise', () => fixture('noise.m4a')],
  ['ALAC', () => fixture('band-alac.m4a')],
]

/** Reads an upload to its end. Throws what ingesting throws. */
const ingest = async (bytes: Uint8Array): Promise<{ frames: number; sampleRate: number; hasOnlyNumbers: boolean }> => {
  const { blocks, sampleRate } = await ingestAudio(bytesInMemory(bytes), { ...audioLimits, maxSeconds })
  let [frames, hasOnlyNumbers] = [0, true]
  for await (const block of blocks) {
    frames += blockLength(block)
    hasOnlyNumbers &&= block.every((channel) => channel.every((value) => Number.isFinite(value)))
  }
  return { frames, sampleRate, hasOnlyNumbers }
}

describe('a damaged file', () => {
  test.each(files)('%s is decoded to finite samples within the limits or rejected', async (_, make) => {
    const bytes = await make()
    for (const seed of exploredSeeds(copies)) {
      const damaged = mutated(bytes, randomFrom(seed))
      for (const sent of [damaged, withChecksums(damaged)]) {
        const outcome = await ingest(sent).catch((error: unknown) => error)
        if (outcome instanceof Error) expect(outcome, `seed ${seed}`).toMatchObject({ name: 'AudioRefused' })
        else expect(outcome, `seed ${seed}`).toMatchObject({ hasOnlyNumbers: true })
      }
    }
  })
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
