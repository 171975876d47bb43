import { expect, test } from 'vitest'
import { bytesInMemory } from './byte-source.ts'
import { createDescriber } from './describe.ts'
import { openStoredAudio } from './stored-audio.ts'

const shape = { sampleRate: 44_100, channels: 1 }

/** The bytes stored for a block, and their description. */
const describeBlock = async (samples: Float32Array) => {
  const describer = createDescriber(shape)
  const stored = await Array.fromAsync(describer.stored([[samples]]))
  return { stored: Buffer.concat(stored), ...describer.finish() }
}

test('samples beyond full scale are described as they are stored, not as they were sent', async () => {
  const loud = Float32Array.from({ length: 4 * shape.sampleRate }, (_, i) => 4 * Math.sin(i * 0.06))
  const sent = await describeBlock(loud)
  const [readBack = new Float32Array()] = await openStoredAudio(bytesInMemory(sent.stored), shape).read(0, loud.length)
  const kept = await describeBlock(readBack)
  expect(sent.description.loudnessLufs).toBeCloseTo(kept.description.loudnessLufs ?? 0, 3)
  expect(sent.description.loudnessRangeLu).toBeCloseTo(kept.description.loudnessRangeLu ?? 0, 3)
  expect(sent.stored).toEqual(kept.stored)
  expect(sent.overview).toEqual(kept.overview)
})
