import { exploredSeeds } from '@trellis/test/support/exploration'
import { describe, expect, test } from 'vitest'
import { arrangements, playParts, siSdr } from '../../test/stem-pieces.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { sliceBlock } from '../audio/pcm.ts'
import { createRandom } from '../dsp/random.ts'
import { percussivePart } from './percussive-part.ts'

const sampleRate = 22_050
const [arrangement] = arrangements
if (!arrangement) throw new Error('there are no arrangements')
const { mixture, parts } = playParts({ ...arrangement, seconds: 8, sampleRate })
const audio = audioInMemory(mixture, sampleRate)
const whole = await percussivePart(audio, { from: 0, to: audio.frames })

describe('the percussive part', () => {
  test.each(exploredSeeds(3))('seed %d: of a range is that of the whole piece there, to the bit', async (seed) => {
    const random = createRandom(seed)
    const from = Math.floor(random.next() * audio.frames)
    const to = Math.min(audio.frames, from + 1 + Math.floor(random.next() * 3 * sampleRate))
    expect(await percussivePart(audio, { from, to })).toEqual(sliceBlock(whole, from, to))
  })

  test('is the drums, by at least 5 dB more than the mixture is', () => {
    expect(siSdr(whole, parts.drums)).toBeGreaterThan(siSdr(mixture, parts.drums) + 5)
  })
})
