import { createLoudnessMeter } from './loudness.ts'
import { createOverview } from './overview.ts'
import { type AudioShape, type Block, blockLength } from './pcm.ts'
import { clipBlock, encodeSamples } from './stored-audio.ts'

/** Description of a piece, computed while it is stored. */
export type AudioDescription = AudioShape & {
  readonly frames: number
  /** Integrated loudness; null for silence. */
  readonly loudnessLufs: number | null
  /** Loudness range; null for silence and below 3 s. */
  readonly loudnessRangeLu: number | null
  /** Length of the silence at its end. */
  readonly silentTailSeconds: number
}

/** Samples below this (-60 dB) are silence. */
export const silence = 0.001

/** Describes a piece while it is written: pass `stored` to what stores the samples, then call `finish`. */
export const createDescriber = ({ sampleRate, channels }: AudioShape) => {
  const shape = { sampleRate, channels }
  const loudness = createLoudnessMeter(shape)
  const overview = createOverview()
  let [frames, silentFrames] = [0, 0]

  const observe = (block: Block) => {
    loudness.push(block)
    overview.push(block)
    frames += blockLength(block)
    const lastSound = Math.max(...block.map((channel) => channel.findLastIndex((value) => Math.abs(value) >= silence)))
    silentFrames = lastSound < 0 ? silentFrames + blockLength(block) : blockLength(block) - 1 - lastSound
  }

  return {
    /** The bytes to store for these blocks, which are observed in passing as they will be read: without what is beyond full scale. */
    async *stored(blocks: AsyncIterable<Block> | Iterable<Block>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
      for await (const block of blocks) {
        signal?.throwIfAborted()
        const clipped = clipBlock(block)
        observe(clipped)
        yield encodeSamples(clipped)
      }
    },
    /** Call after all blocks have passed. */
    finish(): { description: AudioDescription; overview: Uint8Array } {
      const description = {
        ...shape,
        frames,
        loudnessLufs: loudness.integrated(),
        loudnessRangeLu: loudness.range(),
        silentTailSeconds: silentFrames / shape.sampleRate,
      }
      return { description, overview: overview.finish() }
    },
  }
}
