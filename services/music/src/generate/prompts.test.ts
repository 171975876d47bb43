import { describe, expect, test } from 'vitest'
import { playBand } from '../../test/band.ts'
import { arrangements, playParts, siSdr } from '../../test/stem-pieces.ts'
import { playPiece } from '../../test/synthetic-pieces.ts'
import { analyse } from '../analysis/analyse.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, joinBlocks, monoOf, sliceBlock } from '../audio/pcm.ts'
import { leaveOut } from './leave-out.ts'
import { planTake, prepareMaterial, recombine } from './recombine.ts'
import type { LeftOut } from './steering.ts'

const RATE = 22_050

/** A block without one of its parts. */
const without = (mixture: Block, part: Block): Block =>
  mixture.map((channel, index) => channel.map((value, i) => value - (part[index]?.[i] ?? 0)))

test.each<LeftOut>(['vocals', 'drums', 'bass'])(
  'a continuation without %s is nearer to the other parts',
  async (name) => {
    const gains: number[] = []
    for (const arrangement of arrangements.slice(0, 2)) {
      const { parts, mixture } = playParts({ ...arrangement, channels: 2, seconds: 12, sampleRate: RATE })
      const [begin, end] = [5 * RATE, blockLength(mixture)]
      const source = audioInMemory(sliceBlock(mixture, 0, begin), RATE)
      const left = await leaveOut(sliceBlock(mixture, begin, end), { source, stems: [name] })
      const others = sliceBlock(without(mixture, parts[name]), begin, end)
      gains.push(siSdr(left, others) - siSdr(sliceBlock(mixture, begin, end), others))
    }
    expect(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toBeGreaterThan(1)
  },
)

test('a prompt that excludes an instrument is followed, with the same bytes each time', async () => {
  const { block } = playBand({ bpm: 112, bars: 6, sampleRate: RATE, channels: 2 })
  const request = { context: audioInMemory(block, RATE), frames: 5 * RATE, seed: 3 }
  const [one, again, plain] = [
    await recombine({ ...request, prompt: 'no drums, no tuba' }),
    await recombine({ ...request, prompt: 'no drums, no tuba' }),
    await recombine({ ...request, prompt: 'less drums' }),
  ]
  expect(one.honored).toEqual(['no drums'])
  expect(one.block).toEqual(again.block)
  expect(blockLength(one.block)).toBe(5 * RATE)
  // Both follow the same plan.
  expect(one.block).not.toEqual(plain.block)
})

describe('what remains without an instrument', () => {
  const { parts, mixture } = playParts({
    ...{ bpm: 120, tonic: 60, mode: 'major', seed: 1, beat: 'rock', harmony: 'pad', bass: 'saw', voice: 'low' },
    ...{ channels: 2, seconds: 14, sampleRate: RATE },
  })
  const loudness = (block: Block, from: number, to: number) => loudnessOf(sliceBlock(block, from, to), RATE) ?? -70
  const ofFirst = (block: Block) => loudness(block, 0, 3 * RATE)
  const ofLast = (block: Block) => loudness(block, blockLength(block) - 3 * RATE, blockLength(block))
  const continued = async (block: Block, prompt: string) =>
    (await recombine({ context: audioInMemory(block, RATE), frames: 12 * RATE, seed: 1, prompt })).block

  test('begins as loud as the piece ended, and returns to its own level', async () => {
    const loudBass = mixture.map((channel, c) =>
      channel.map((value, i) => 0.35 * (value + 3 * (parts.bass[c]?.[i] ?? 0))),
    )
    const block = await continued(loudBass, 'no bass')
    expect(Math.abs(ofFirst(block) - ofLast(loudBass))).toBeLessThan(1)
    expect(ofFirst(block) - ofLast(block)).toBeGreaterThan(1.5)
  })

  test('is raised by 6 dB at most: of drums alone, little remains', async () => {
    const block = await continued(parts.drums, 'no drums')
    expect(ofLast(parts.drums) - ofFirst(block)).toBeGreaterThan(6.5)
    expect(ofFirst(block) - ofLast(block)).toBeLessThan(6.5)
  })
})

/** The tempo of the last seconds of a block. */
const endingTempo = (block: Block, seconds: number): number =>
  analyse(monoOf(sliceBlock(block, blockLength(block) - seconds * RATE, blockLength(block)))).bpm ?? 0

test('a prompt changes the tempo of what follows, gradually and by a few per cent', async () => {
  const { block, bpm } = playBand({ bpm: 112, bars: 12, sampleRate: RATE, channels: 1 })
  const context = audioInMemory(block, RATE)
  const tempi: number[] = []
  for (const prompt of ['slower', '', 'faster']) {
    const { block: made } = await recombine({ context, frames: 24 * RATE, seed: 2, prompt })
    expect(blockLength(made)).toBe(24 * RATE)
    tempi.push(endingTempo(made, 10) / bpm)
  }
  const [slower = 0, same = 0, faster = 0] = tempi
  expect(Math.abs(same - 1)).toBeLessThan(0.03)
  expect(Math.abs(slower - 0.94)).toBeLessThan(0.035)
  expect(Math.abs(faster - 1.06)).toBeLessThan(0.035)
})

/** The steps of a plan, in playing order. */
const stepsOf = ({ plan }: ReturnType<typeof planTake>): number[] =>
  plan.runs.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i))

test('a prompt that names a section prefers its music, and is not followed by a piece without sections', async () => {
  const piece = playPiece({ metre: '4/4', style: 'rock', bpm: 128, seconds: 95, seed: 5 })
  const context = audioInMemory([piece.samples], RATE)
  const material = await prepareMaterial({ context, frames: 0, prompt: '' })
  const chorus = material.grid.stepsOfSection('chorus')
  const shareOf = (prompt: string) => {
    const steps = [4, 5, 6, 7].flatMap((seed) =>
      stepsOf(planTake(material, { context, frames: 20 * RATE, seed, prompt })),
    )
    return steps.filter((step) => chorus?.has(step)).length / steps.length
  }
  expect(chorus?.size).toBeGreaterThan(16)
  expect(shareOf('like the chorus')).toBeGreaterThan(Math.max(0.6, shareOf('')))
  const { block } = playBand({ bpm: 112, bars: 4, sampleRate: RATE, channels: 1 })
  const short = { context: audioInMemory(block, RATE), frames: 5 * RATE, seed: 1, prompt: 'calm, like the chorus' }
  expect(planTake(await prepareMaterial(short), short).honored).toEqual(['calm'])
})

describe('a song with a soft introduction', () => {
  const score = { bpm: 120, bars: 8, sampleRate: RATE, channels: 1, tonic: 57 } as const
  const intro = playBand({ ...score, drums: false, tonic: 60, seed: 2 }).block.map((channel) =>
    channel.map((value) => 0.1 * value),
  )
  const verse = playBand(score).block
  const chorus = playBand({ ...score, mode: 'minor', seed: 4 }).block
  const parts = [intro, verse, chorus, verse, chorus, verse]
  const song = joinBlocks(
    parts.map((block) => sliceBlock(block, 0, 16 * RATE)),
    1,
  )
  const context = audioInMemory(song, RATE)
  const prepared = prepareMaterial({ context, frames: 0, prompt: '' })

  test('is continued with its introduction if the prompt names it', async () => {
    const material = await prepared
    const first = material.grid.stepsOfSection('intro')
    const takes = [1, 2, 3].map((seed) =>
      planTake(material, { context, frames: 20 * RATE, seed, prompt: 'like the intro' }),
    )
    for (const take of takes) {
      const steps = stepsOf(take)
      expect(steps.filter((step) => first?.has(step)).length / steps.length).toBeGreaterThan(0.4)
      expect(take.honored).toEqual(['intro'])
    }
  })

  test('reports the prompt as ignored if a take does not reach the introduction', async () => {
    const material = await prepared
    const first = material.grid.stepsOfSection('intro')
    const seeds = Array.from({ length: 12 }, (_, index) => index)
    const takes = seeds.map((seed) => planTake(material, { context, frames: RATE, seed, prompt: 'like the intro' }))
    const followed = takes.map(({ honored }) => honored.length > 0)
    expect(followed).toEqual(takes.map((take) => stepsOf(take).some((step) => first?.has(step))))
    expect(followed).toContain(false)
  })
})
