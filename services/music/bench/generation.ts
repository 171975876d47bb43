import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDirectoryFiles } from '@trellis/kit/files'
import { ContinueTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { nodeFile } from '../src/audio/files-layout.ts'
import { encodeSamples, openStoredAudio } from '../src/audio/stored-audio.ts'
import { wavBytes } from '../src/audio/wav-write.ts'
import { createModelCache } from '../src/generate/model/model-cache.ts'
import type { TaskDependencies } from '../src/worker/pieces.ts'
import { continueAudio, ingest } from '../src/worker/tasks.ts'
import { playBand } from '../test/band.ts'

/** One measurement: elapsed times, and the length of the generated audio. */
export type GenerationTiming = {
  readonly sourceSeconds: number
  readonly audioSeconds: number
  /** Reading the stored features of the context, planning and rendering. */
  readonly generationSeconds: number
  /** Storing and describing the result (loudness, tempo, key, outline, features) and measuring its seam. */
  readonly measuringSeconds: number
  /** Total time over the length of the audio; the target is below 0.5 on two cores. */
  readonly ratio: number
  /** Reading and describing the upload, once. */
  readonly uploadSeconds: number
  /** Total time over the length of the audio, without stored features of the context. */
  readonly ratioUnknown: number
}

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

const RATE = 44_100
/** A rendered band of this length is repeated, since rendering takes longer than continuing. */
const playedSeconds = 60

/** An upload of a band of `sourceSeconds` at 44.1 kHz in stereo. */
async function* uploadOf(sourceSeconds: number): AsyncGenerator<Uint8Array> {
  const { block } = playBand({ bpm: 120, bars: Math.min(sourceSeconds, playedSeconds) / 2, sampleRate: RATE })
  const bytes = encodeSamples(block)
  const shape = { sampleRate: RATE, channels: 2 }
  const source = { size: bytes.length, read: async (at: number, length: number) => bytes.subarray(at, at + length) }
  const audio = openStoredAudio(source, shape)
  async function* blocks() {
    for (let left = sourceSeconds * RATE; left > 0; left -= audio.frames) yield audio.read(0, left)
  }
  yield* wavBytes(shape, sourceSeconds * RATE, blocks())
}

/** Uploads and continues a band with the code of a worker, in this process and on one core. */
export const timeGeneration = async (sourceSeconds: number, audioSeconds: number): Promise<GenerationTiming> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-music-bench-'))
  let generated = 0
  const files = await openDirectoryFiles(directory)
  const dependencies: TaskDependencies = {
    files,
    models: createModelCache('cpu'),
    progress: () => {
      generated = performance.now()
    },
    signal: new AbortController().signal,
  }
  try {
    await files.write(nodeFile('root', 'upload'), uploadOf(sourceSeconds))
    const uploadSeconds = await secondsOf(() =>
      ingest({ nodeId: 'root', maximumSeconds: sourceSeconds, maximumBytes: 0 }, dependencies),
    )
    const path = [{ nodeId: 'root', sampleRate: RATE, channels: 2 }]
    const task = { path, frames: audioSeconds * RATE, seed: 1, generator: 'recombine' }
    const began = performance.now()
    const total = await secondsOf(() =>
      continueAudio(ContinueTask.fromPartial({ ...task, nodeId: 'known' }), dependencies),
    )
    const generationSeconds = (generated - began) / 1000
    await files.remove(nodeFile('root', 'features'))
    const unknown = await secondsOf(() =>
      continueAudio(ContinueTask.fromPartial({ ...task, nodeId: 'other' }), dependencies),
    )
    return {
      sourceSeconds,
      audioSeconds,
      generationSeconds,
      measuringSeconds: total - generationSeconds,
      ratio: total / audioSeconds,
      uploadSeconds,
      ratioUnknown: unknown / audioSeconds,
    }
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** The reported cases: a typical branch, a long one, and short ones from long chains. */
export const generationCases: readonly (readonly [sourceSeconds: number, audioSeconds: number])[] = [
  [60, 10],
  [60, 60],
  [300, 10],
  [1200, 10],
]
