import { audioInMemory } from '../src/audio/audio-path.ts'
import { createDescriber } from '../src/audio/describe.ts'
import { blockLength } from '../src/audio/pcm.ts'
import { recombine } from '../src/generate/recombine.ts'
import { measureSeam } from '../src/generate/seam.ts'
import { playBand } from '../test/band.ts'

/** One measurement: how long it took, and how much audio came of it. */
export interface GenerationTiming {
  readonly sourceSeconds: number
  readonly audioSeconds: number
  /** Reading the context, analysing, planning and playing. */
  readonly generationSeconds: number
  /** Describing the result (loudness, tempo, key, outline) and measuring its seam. */
  readonly measuringSeconds: number
  /** All of it over the audio's own time; the target is below 0.5 on two cores. */
  readonly ratio: number
}

const secondsOf = async (work: () => Promise<void>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** Generates from a band of `sourceSeconds` at 44.1 kHz in stereo, as a worker does, in this process and on one core. */
export const timeGeneration = async (sourceSeconds: number, audioSeconds: number): Promise<GenerationTiming> => {
  const { block, sampleRate } = playBand({ bpm: 120, bars: Math.ceil(sourceSeconds / 2) })
  const context = audioInMemory(block, sampleRate)
  let made = block
  const generationSeconds = await secondsOf(async () => {
    const frames = Math.round(audioSeconds * sampleRate)
    made = (await recombine({ context, frames, prompt: '', seed: 1 })).block
  })
  const measuringSeconds = await secondsOf(async () => {
    const describer = createDescriber(context)
    for await (const _ of describer.stored([made]));
    describer.finish()
    measureSeam({ before: block, after: made, sampleRate })
  })
  const ratio = (generationSeconds + measuringSeconds) / (blockLength(made) / sampleRate)
  return { sourceSeconds, audioSeconds, generationSeconds, measuringSeconds, ratio }
}

/** The cases that are reported: a usual branch, a long one, and a short one from a long chain. */
export const GENERATION_CASES: readonly (readonly [sourceSeconds: number, audioSeconds: number])[] = [
  [60, 10],
  [60, 60],
  [300, 10],
]
