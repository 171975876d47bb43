import { sample } from '@trellis/test/support/exploration'
import { expect, test } from 'vitest'
import { playBand } from '../../test/band.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { continueLoudness } from './continue-loudness.ts'
import { measureSeam } from './measure-seam.ts'
import { recombine } from './recombine.ts'

const RATE = 22_050
const band = playBand({ bpm: 112, bars: 10, sampleRate: RATE, channels: 2 })

/** The band, at the gain (dB) of each second. */
const atGains = (gainDb: (seconds: number) => number): Block =>
  band.block.map((channel) => channel.map((value, i) => value * 10 ** (gainDb(i / RATE) / 20)))

/** The samples as text: a deep comparison takes minutes if it fails. */
const bytesOf = (block: Block): string =>
  block.map((channel) => Buffer.from(channel.slice().buffer).toString('base64')).join(' ')

const end = blockLength(band.block) / RATE
const traits: [string, Block][] = [
  ['ends much softer than it is', atGains((at) => (at > end - 3.4 ? -9 : 0))],
  ['ends much louder than it is', atGains((at) => (at > end - 3.4 ? 0 : -7))],
  ['dies away', atGains((at) => -4 * Math.max(0, at - (end - 5)))],
  ['fades out before a silence', atGains((at) => (at > end - 1 ? -200 : -20 * Math.max(0, at - (end - 3))))],
]

test.each(traits)('a continuation of a piece that %s begins at the loudness of its last seconds', async (_, before) => {
  for (const seed of sample([0, 3], 1)) {
    const request = { context: audioInMemory(before, RATE), frames: 10 * RATE, prompt: '', seed }
    const { block: after } = await recombine(request)
    expect(measureSeam({ before, after, sampleRate: RATE }).loudnessStepLu).toBeLessThan(1)
    // After the transition, it is as loud as the piece usually is, or nearly.
    const usual = loudnessOf(before, RATE) ?? 0
    expect(loudnessOf(sliceBlock(after, 7 * RATE, 10 * RATE), RATE)).toBeGreaterThan(usual - 6)
  }
})

test('a small step is left as it is, and the end of a continuation is not changed', async () => {
  const source = audioInMemory(band.block, RATE)
  const last =
    loudnessOf(sliceBlock(band.block, blockLength(band.block) - 3 * RATE, blockLength(band.block)), RATE) ?? 0
  const scaledTo = (lufs: number): Block => {
    const head = sliceBlock(band.block, 0, 18 * RATE)
    const gain = 10 ** ((lufs - (loudnessOf(sliceBlock(head, 0, 3 * RATE), RATE) ?? 0)) / 20)
    return head.map((channel) => channel.map((value) => value * gain))
  }
  const near = scaledTo(last + 0.4)
  const far = scaledTo(last + 8)
  const [nearBefore, farBefore] = [near, far].map((block) => block.map((channel) => channel.slice()))
  await continueLoudness(near, source)
  await continueLoudness(far, source)
  expect(bytesOf(near)).toBe(bytesOf(nearBefore ?? []))
  expect(loudnessOf(sliceBlock(far, 0, 3 * RATE), RATE)).toBeLessThan(last + 1)
  expect(bytesOf(sliceBlock(far, 16 * RATE, 18 * RATE))).toBe(
    bytesOf(sliceBlock(farBefore ?? [], 16 * RATE, 18 * RATE)),
  )
})
