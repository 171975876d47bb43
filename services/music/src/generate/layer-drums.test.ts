import { describe, expect, test } from 'vitest'
import { type Arrangement, arrangements, playParts, sdr } from '../../test/stem-pieces.ts'
import { envelopeHop, envelopeLevels } from '../analysis/attack-envelope.ts'
import { audioInMemory } from '../audio/audio-path.ts'
import { sliceBlock } from '../audio/pcm.ts'
import { createDrumLayering } from './layer-drums.ts'

const sampleRate = 22_050
const fades = { guard: 0.01, fade: 0.03 }

const gridOf = (starts: readonly number[], stepsPerBar: number) => ({
  steps: starts.map((start) => ({ start })),
  stepsPerBar,
})

describe('a bar with the drums of another', () => {
  const { bpm, ...arrangement }: Arrangement = arrangements[1] ?? (arrangements[0] as Arrangement)
  const played = (beat: Arrangement['beat']) =>
    playParts({ ...arrangement, bpm, beat, seconds: 14, sampleRate, channels: 1 })
  const piece = played('half-time')
  const bar = Math.round((4 * 60 * sampleRate) / bpm)
  const grid = gridOf(
    Array.from({ length: 20 }, (_, i) => (i * bar) / 4),
    4,
  )
  // The drums of the third bar are those of another rhythm.
  const drums = piece.parts.drums.map((channel) => channel.slice())
  const other = played('four-floor').parts.drums
  for (let i = 2 * bar; i < 3 * bar; i++) if (drums[0]) drums[0][i] = other[0]?.[i] ?? 0
  const rest = piece.mixture.map((channel, index) =>
    channel.map((value, i) => value - (piece.parts.drums[index]?.[i] ?? 0)),
  )
  const source = rest.map((channel, index) => channel.map((value, i) => value + (drums[index]?.[i] ?? 0)))
  const audio = audioInMemory(source, sampleRate)
  const layered = async (first: number, from: number) => {
    const stretch = source.map((channel) => channel.slice(bar, 2 * bar))
    await createDrumLayering(audio, grid, fades)(stretch, bar, [{ run: 0, first, drums: from }])
    return stretch
  }

  test('that are its own is the original', async () => {
    const [same] = await layered(4, 4)
    const difference = same?.map((value, i) => Math.abs(value - (source[0]?.[bar + i] ?? 0)))
    expect(Math.max(...(difference ?? [1]))).toBeLessThan(1e-6)
  })

  test('is that harmony with those drums: by 5 dB nearer to it than the bar as it was, and 10 dB in all', async () => {
    const truth = rest.map((channel, index) =>
      channel.slice(bar, 2 * bar).map((value, i) => value + (drums[index]?.[2 * bar + i] ?? 0)),
    )
    const now = sdr(await layered(4, 8), truth)
    expect(now).toBeGreaterThan(10)
    expect(now).toBeGreaterThan(sdr(sliceBlock(source, bar, 2 * bar), truth) + 5)
  })
})

test('drums of a bar with another tempo sound on the beats of the bar that they are under', async () => {
  const beat = sampleRate / 2
  // The beats of the second bar are 3 % longer, and each is somewhat early or late.
  const starts = [0, 1, 2, 3, 4, 5.03, 6.05, 7.1, 8.12, 9.12, 10.12].map((beats) => Math.round((beats + 1) * beat))
  const click = (i: number) => 0.8 * Math.exp(-i / 60) * (i % 2 === 0 ? 1 : -1)
  const pad = (i: number) => 0.05 * Math.sin(i * 0.09)
  const source = [Float32Array.from({ length: 14 * beat }, (_, i) => pad(i))]
  for (const start of starts.slice(4, 8))
    for (let i = 0; i < 600; i++) if (source[0]) source[0][start + i] = (source[0][start + i] ?? 0) + click(i)
  const stretch = source.map((channel) => channel.slice())
  const layerDrums = createDrumLayering(audioInMemory(source, sampleRate), gridOf(starts, 4), fades)
  await layerDrums(stretch, 0, [{ run: 0, first: 0, drums: 4 }])
  const levels = envelopeLevels(stretch[0] ?? new Float32Array())
  for (const start of starts.slice(0, 4)) {
    const around = levels.subarray(
      Math.floor((start - beat / 4) / envelopeHop),
      Math.ceil((start + beat / 4) / envelopeHop),
    )
    const loudest = around.indexOf(Math.max(...around)) + Math.floor((start - beat / 4) / envelopeHop)
    expect(Math.abs(loudest * envelopeHop - start) / sampleRate).toBeLessThan(0.004)
    expect(Math.max(...around)).toBeGreaterThan(0.1)
  }
})

test('layering is cancelled by its signal', async () => {
  const source = audioInMemory([new Float32Array(sampleRate * 4)], sampleRate)
  const grid = gridOf(
    [0, 1, 2, 3, 4, 5].map((i) => i * 8_000),
    2,
  )
  const signal = AbortSignal.abort(new Error('enough'))
  const layering = createDrumLayering(source, grid, fades)
  await expect(layering([new Float32Array(16_000)], 0, [{ run: 0, first: 0, drums: 2 }], signal)).rejects.toThrow(
    'enough',
  )
})
