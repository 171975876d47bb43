import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDirectoryFiles } from '@trellis/kit/files'
import { SeparateTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { nodeFile, stemFile } from '../src/audio/files-layout.ts'
import type { Block } from '../src/audio/pcm.ts'
import { encodeSamples, openStoredAudio } from '../src/audio/stored-audio.ts'
import { meanOf } from '../src/dsp/statistics.ts'
import { createModelCache } from '../src/generate/model/model-cache.ts'
import { stemNames } from '../src/stems/stem-names.ts'
import { separateAudio } from '../src/worker/separate.ts'
import { playMix } from '../test/mixed-pieces.ts'
import { arrangements, isSilent, playParts, sdr, siSdr } from '../test/stem-pieces.ts'
import { separateByBaselines } from './separation-baselines.ts'

const rate = 44_100

/** Time of a separation in seconds: elapsed, and of the processor, which other programs do not lengthen as much. */
type Time = { readonly elapsed: number; readonly processor: number }

/** Separates stored samples with the code of a worker, in this process, and passes the stems on. */
const separated = async <Result>(
  samples: AsyncIterable<Uint8Array> | Uint8Array,
  { channels, sampleRate }: { channels: number; sampleRate: number },
  use: (stems: () => Promise<Block[]>, time: Time) => Promise<Result>,
): Promise<Result> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-stems-bench-'))
  try {
    const files = await openDirectoryFiles(directory)
    await files.write(nodeFile('piece', 'samples'), samples)
    const piece = { nodeId: 'piece', sampleRate, channels }
    const dependencies = {
      files,
      models: createModelCache('cpu'),
      progress: () => undefined,
      signal: new AbortController().signal,
    }
    const [began, usedBefore] = [performance.now(), process.cpuUsage()]
    await separateAudio(SeparateTask.fromPartial({ piece, folder: 'stems' }), dependencies)
    const used = process.cpuUsage(usedBefore)
    const time = { elapsed: (performance.now() - began) / 1_000, processor: (used.user + used.system) / 1e6 }
    const stems = () =>
      Promise.all(
        stemNames.map(async (name) => {
          const bytes = await files.readRange(stemFile('stems', name), { start: 0, end: Number.MAX_SAFE_INTEGER })
          const source = {
            size: bytes.length,
            read: async (at: number, count: number) => bytes.subarray(at, at + count),
          }
          const audio = openStoredAudio(source, { sampleRate, channels })
          return audio.read(0, audio.frames)
        }),
      )
    return await use(stems, time)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Ratios in dB by stem, means over pieces. A method without a stem has null. */
export type Ratios = { readonly siSdr: readonly (number | null)[]; readonly sdr: readonly (number | null)[] }

/** The quality of estimates: the mixture as each stem, published methods, and the stems of this service. */
export type SeparationQuality = Readonly<Record<'mixture' | 'published' | 'stems', Ratios>>

type Estimated = Readonly<Record<keyof SeparationQuality, readonly (Block | undefined)[]>>

/** Pieces with known stems: of six arrangements, and of studio mixes of every other ensemble. */
const generators = {
  arrangements: (channels: 1 | 2) =>
    arrangements.map((arrangement) => playParts({ ...arrangement, seconds: 12, channels, sampleRate: rate })),
  mixes: (channels: 1 | 2) => Array.from({ length: 18 }, (_, i) => playMix({ seed: 2 * i, seconds: 20, channels })),
}

export type PieceGenerator = keyof typeof generators

/** Separates synthesised pieces whose stems are known. Ratios are means over the pieces that have the stem. */
export const measureSeparation = async (generator: PieceGenerator, channels: 1 | 2): Promise<SeparationQuality> => {
  const played: { truth: readonly Block[]; estimates: Estimated }[] = []
  for (const { parts, mixture, sampleRate } of generators[generator](channels)) {
    const estimates = {
      mixture: stemNames.map(() => mixture),
      published: await separateByBaselines(mixture, sampleRate),
      stems: await separated(encodeSamples(mixture), { channels, sampleRate }, (read) => read()),
    }
    played.push({ truth: stemNames.map((name) => parts[name]), estimates })
  }
  const means = (method: keyof SeparationQuality, measure: typeof sdr) =>
    stemNames.map((_, stem) => {
      const values = played.flatMap(({ truth, estimates }) => {
        const [estimate, part] = [estimates[method][stem], truth[stem]]
        return estimate && part && !isSilent(part) ? [measure(estimate, part)] : []
      })
      return values.length > 0 ? meanOf(values) : null
    })
  const ratiosOf = (method: keyof SeparationQuality) => ({ siSdr: means(method, siSdr), sdr: means(method, sdr) })
  return { mixture: ratiosOf('mixture'), published: ratiosOf('published'), stems: ratiosOf('stems') }
}

/** A piece of any length: a synthesised one, repeated. */
async function* longPiece(seconds: number): AsyncGenerator<Uint8Array> {
  const [arrangement] = arrangements
  if (!arrangement) return
  const bytes = encodeSamples(playParts({ ...arrangement, seconds: 20, sampleRate: rate }).mixture)
  for (let left = seconds * rate * 6; left > 0; left -= bytes.length)
    yield bytes.subarray(0, Math.min(left, bytes.length))
}

/** Elapsed and processor time over the length of a stereo piece of this length. */
export const timeSeparation = (seconds: number): Promise<Time> =>
  separated(longPiece(seconds), { channels: 2, sampleRate: rate }, async (_, { elapsed, processor }) => ({
    elapsed: elapsed / seconds,
    processor: processor / seconds,
  }))
