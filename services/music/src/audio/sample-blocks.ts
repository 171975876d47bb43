import type { ByteSource } from './byte-source.ts'
import { type Block, decodeSamples, type SampleLayout } from './pcm.ts'

/** Frames per read: 64 KiB of 16-bit stereo. */
const framesPerBlock = 16_384

/** Uncompressed samples block by block. Ends early if the file does, since a truncated recording is still usable. */
export async function* sampleBlocks(
  source: ByteSource,
  { offset, frames, channels, layout }: { offset: number; frames: number; channels: number; layout: SampleLayout },
): AsyncGenerator<Block> {
  const frameBytes = layout.bytes * channels
  for (let frame = 0; frame < frames; frame += framesPerBlock) {
    const requested = Math.min(framesPerBlock, frames - frame) * frameBytes
    const bytes = await source.read(offset + frame * frameBytes, requested)
    if (bytes.length >= frameBytes) yield decodeSamples(bytes, channels, layout)
    if (bytes.length < requested) return
  }
}
