import { randomFrom, runSeed, runsFactor, runsOrWhole } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { decodeAll } from '../../test/audio-files.ts'
import { formatSamples } from '../../test/audio-formats.ts'
import { type Block, blockLength, sliceBlock } from './pcm.ts'

/** Number of positions that each file is truncated at (plus its last byte). */
const cuts = runsOrWhole(5, 200)
const timeout = 180_000 * Math.max(1, runsFactor)

const random = randomFrom(runSeed)

const bytesOfSamples = (samples: Float32Array = new Float32Array()): Buffer => Buffer.from(samples.slice().buffer)

/** Positions to truncate at: spread over the file, randomized within each part by the seed of the run, and its last byte. */
const places = (length: number): number[] => [
  ...Array.from({ length: cuts }, (_, index) => Math.floor(((index + random()) / cuts) * length)),
  length - 1,
]

describe('a truncated file', () => {
  test.each(formatSamples)('$name is decoded to a prefix of the whole or rejected', { timeout }, async ({ make }) => {
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
