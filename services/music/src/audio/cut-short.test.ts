import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { randomFrom, runSeed, runs } from '../../../../test/support/exploration.ts'
import { bytesOf, chunk, decodeAll, fixture, fixturePiece, wavOf } from '../../test/audio-files.ts'
import { type Block, blockLength, sliceBlock } from './pcm.ts'

/** Number of positions that each file is truncated at (plus its last byte). */
const cuts = runs(6)

const random = randomFrom(runSeed)

const tune = () => readFileSync(new URL('../../../../docs/examples/tune.ogg', import.meta.url))

/** The fixture's piece as 16-bit AIFF. */
const aiff = (): Uint8Array => {
  const block = fixturePiece()
  const frames = blockLength(block)
  const samples = Buffer.alloc(frames * block.length * 2)
  for (const [index, channel] of block.entries())
    for (const [frame, value] of channel.entries())
      samples.writeInt16BE(Math.round(value * 32_768), (frame * block.length + index) * 2)
  const rate = Uint8Array.from([0x40, 0x0d, 0xac, 0x44, 0, 0, 0, 0, 0, 0])
  const common = chunk(false, 'COMM', bytesOf(false, { u16: 2 }, { u32: frames }, { u16: 16 }, rate))
  const sound = chunk(false, 'SSND', bytesOf(false, { u32: 0 }, { u32: 0 }, samples))
  return bytesOf(false, 'FORM', { u32: 0 }, 'AIFF', common, sound)
}

const files: readonly [string, () => Uint8Array | Promise<Uint8Array>][] = [
  ['WAV', () => wavOf(fixturePiece(), 22_050)],
  ['AIFF', aiff],
  ['MP3', () => fixture('band.mp3')],
  ['FLAC', () => fixture('band.flac')],
  ['Ogg FLAC', () => fixture('band.oga')],
  ['Ogg Vorbis', () => fixture('band.ogg')],
  ['longer Ogg Vorbis', tune],
  ['Ogg Opus', () => fixture('band.opus')],
  ['M4A with its index at the end', () => fixture('band.m4a')],
  ['M4A with its index first', () => fixture('band-alac.m4a')],
]

const bytesOfSamples = (samples: Float32Array = new Float32Array()): Buffer => Buffer.from(samples.slice().buffer)

/** Positions to truncate at: spread over the file, randomized within each part by the seed of the run, and its last byte. */
const places = (length: number): number[] => [
  ...Array.from({ length: cuts }, (_, index) => Math.floor(((index + random()) / cuts) * length)),
  length - 1,
]

describe('a truncated file', () => {
  test.each(files)('%s is decoded to a prefix of the whole or rejected', async (_, make) => {
    const bytes = await make()
    const whole = (await decodeAll(bytes)).block
    for (const at of places(bytes.length)) {
      const outcome: Block | Error = await decodeAll(bytes.subarray(0, at)).then(
        ({ block }) => block,
        (error: Error) => error,
      )
      if (outcome instanceof Error) expect(outcome, `cut at ${at}`).toMatchObject({ name: 'AudioRefused' })
      else {
        const beginning = sliceBlock(whole, 0, blockLength(outcome))
        expect(blockLength(outcome), `cut at ${at}`).toBe(blockLength(beginning))
        // Compared as bytes: a deep comparison of samples takes a second for each file.
        for (const [index, channel] of outcome.entries())
          expect(bytesOfSamples(channel).equals(bytesOfSamples(beginning[index])), `cut at ${at}`).toBe(true)
      }
    }
  })
})
